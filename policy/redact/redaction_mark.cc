#include "policy/redact/redaction_mark.h"

#include <algorithm>

#include "policy/detect/detector.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The prefix of an operator's own detectors.
constexpr std::string_view kCustom = "custom.";

/// Longer than any name of a detector with the rest of its mark.
constexpr std::size_t kInsideBytesMax = 192;

/// Whether it is a built-in detector. The name of an operator's own detector could contain
/// instructions.
bool is_detector(std::string_view name) {
  return std::ranges::any_of(detectors(),
                             [name](const Detector& detector) { return detector.name == name; });
}

}  // namespace

std::string redaction_mark(std::string_view detector, std::string_view more) {
  std::string mark(kRedactionMarkOpening);
  mark += detector;
  if (!more.empty()) mark.append(":").append(more);
  return mark + "]";
}

std::vector<ByteRange> find_redaction_marks(std::string_view text) {
  std::vector<ByteRange> marks;
  for (std::size_t at = text.find(kRedactionMarkOpening); at != std::string_view::npos;
       at = text.find(kRedactionMarkOpening, at + 1)) {
    const std::size_t name = at + kRedactionMarkOpening.size();
    const std::size_t closing = text.substr(name, kInsideBytesMax).find(']');
    if (closing == std::string_view::npos) continue;
    const std::size_t end = name + closing;
    const std::string_view inside = text.substr(name, end - name);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    // Other characters after a detector's name could hide words, so they make no mark.
    const bool is_mark = (inside.starts_with(kCustom) || is_detector(inside.substr(0, colon))) &&
                         inside.find_first_not_of(":0123456789abcdef", colon) == inside.npos;
    if (is_mark) marks.push_back({at, end + 1});
  }
  return marks;
}

std::string_view marked_head(std::string_view text, std::size_t bytes_max) {
  const std::string_view head = utf8_head(text, bytes_max);
  const std::size_t opening =
      head.empty() ? text.npos : text.rfind(kRedactionMarkOpening, head.size() - 1);
  if (opening == text.npos) return head;
  constexpr std::size_t kMarkBytesMax = kRedactionMarkOpening.size() + kInsideBytesMax + 1;
  const auto marks = find_redaction_marks(text.substr(opening, kMarkBytesMax));
  const bool is_cut = !marks.empty() && marks[0].begin == 0 && opening + marks[0].end > head.size();
  return is_cut ? head.substr(0, opening) : head;
}

std::string without_redaction_marks(std::string_view text) {
  std::string left;
  std::size_t at = 0;
  for (const ByteRange mark : find_redaction_marks(text)) {
    const bool is_custom = mark.of(text).substr(kRedactionMarkOpening.size()).starts_with(kCustom);
    if (is_custom) continue;
    left += text.substr(at, mark.begin - at);
    at = mark.end;
  }
  return left.append(text.substr(at));
}

}  // namespace bartizan
