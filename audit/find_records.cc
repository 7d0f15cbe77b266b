#include <cstddef>
#include <optional>

#include "audit/line_reader.h"
#include "audit/verify.h"

namespace bartizan {
namespace {

// A quote inside of a text is escaped, so these bytes are the member and nothing else.
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
    auto file = LineReader::open(path);
    while (file) {
      const auto line = file->next();
      if (!line || line->number == 0) break;
      if (!line->too_long) visit(line->text);
    }
  }
}

/// What a given id, perhaps only its beginning, stands for.
struct Expansion {
  std::string id;
  bool exact = false;
  bool ambiguous = false;
};

Expansion expand(const std::vector<std::string>& files, std::string_view begin) {
  Expansion found;
  visit_lines(files, [&](std::string_view line) {
    const std::string_view id = decision_id(line);
    if (found.exact || !id.starts_with(begin) || id == found.id) return;
    found.exact = id == begin;
    found.ambiguous = !found.exact && !found.id.empty();
    found.id = id;
  });
  return found;
}

Expansion last_denied(const std::vector<std::string>& files) {
  Expansion found;
  visit_lines(files, [&](std::string_view line) {
    if (line.find(R"(,"decision":"deny")") != std::string_view::npos) found.id = decision_id(line);
  });
  return found;
}

}  // namespace

RecordsFound find_records(const std::vector<std::string>& files, std::string_view id,
                          const std::function<void(std::string_view)>& visit) {
  if (id.empty()) return RecordsFound::none;
  const Expansion wanted = id == "last" ? last_denied(files) : expand(files, id);
  if (wanted.ambiguous) return RecordsFound::several;
  if (wanted.id.empty()) return RecordsFound::none;
  visit_lines(files, [&](std::string_view line) {
    if (decision_id(line) == wanted.id) visit(line);
  });
  return RecordsFound::one;
}

}  // namespace bartizan
