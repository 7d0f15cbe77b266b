#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "audit/record_lines.h"
#include "audit/verify.h"

namespace bartizan {
namespace {

// A quote inside a text is escaped, so these bytes are always the member.
std::string_view decision_id(std::string_view line) {
  constexpr std::string_view kMember = R"(,"decision_id":")";
  const std::size_t at = line.find(kMember);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + kMember.size());
  return rest.substr(0, rest.find('"'));
}

template <class Visitor>
void visit_lines(const std::vector<std::string>& files, Visitor&& visit) {
  for (const std::string& path : files) {
    auto file = RecordLines::open(path);
    while (file) {
      const auto line = file->next();
      if (!line || line->number == 0) break;
      if (!line->too_long) visit(line->text);
    }
  }
}

/// The decisions whose id is, or begins with, a given text.
class Expansion {
 public:
  explicit Expansion(std::string_view begin) : begin_(begin) {}

  void take(std::string_view line) {
    const std::string_view id = decision_id(line);
    if (is_exact_ || !id.starts_with(begin_) || std::ranges::find(ids_, id) != ids_.end()) return;
    if (id == begin_) {
      is_exact_ = true;
      ids_ = {std::string(id)};
    } else if (ids_.size() < FoundRecords::candidates_max) {
      ids_.emplace_back(id);
      lines_.emplace_back(line);
    } else {
      has_more_ = true;
    }
  }
  const std::vector<std::string>& ids() const { return ids_; }
  FoundRecords several() && { return {FoundRecords::Kind::several, std::move(lines_), has_more_}; }

 private:
  std::string_view begin_;
  std::vector<std::string> ids_;
  std::vector<std::string> lines_;
  bool is_exact_ = false;
  bool has_more_ = false;
};

/// Decides by the bytes of the members, as above, because most lines are not refusals. Includes
/// withheld results, as in `is_withheld`, and truncated ones.
bool is_refusal(std::string_view line) {
  if (line.contains(R"(,"decision":"deny")")) return true;
  if (line.contains(R"(,"detail":"truncated: )")) return true;
  return line.contains(R"(,"outcome":"tool_error")") && line.contains(R"(,"reason":")");
}

std::string last_denied(const std::vector<std::string>& files) {
  std::string id;
  visit_lines(files, [&](std::string_view line) {
    if (is_refusal(line)) id = decision_id(line);
  });
  return id;
}

}  // namespace

FoundRecords find_records(const std::vector<std::string>& files, std::string_view id,
                          const std::function<void(std::string_view)>& visit) {
  if (id.empty()) return {};
  std::string wanted;
  if (id == "last") {
    wanted = last_denied(files);
  } else {
    Expansion expansion(id);
    visit_lines(files, [&expansion](std::string_view line) { expansion.take(line); });
    if (expansion.ids().size() > 1) return std::move(expansion).several();
    if (!expansion.ids().empty()) wanted = expansion.ids().front();
  }
  if (wanted.empty()) return {};
  visit_lines(files, [&](std::string_view line) {
    if (decision_id(line) == wanted) visit(line);
  });
  return {FoundRecords::Kind::one};
}

}  // namespace bartizan
