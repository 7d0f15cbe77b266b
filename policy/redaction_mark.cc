#include "policy/redaction_mark.h"

#include <algorithm>

#include "policy/detector.h"

namespace bartizan {
namespace {

constexpr std::string_view kOpening = "[redacted:";

bool is_detector(std::string_view name) {
  return std::ranges::any_of(detectors(),
                             [name](const Detector& detector) { return detector.name == name; });
}

}  // namespace

std::string redaction_mark(DetectorId detector, std::string_view more) {
  std::string mark(kOpening);
  mark += detectors()[detector].name;
  if (!more.empty()) mark.append(":").append(more);
  return mark + "]";
}

std::string without_redaction_marks(std::string_view text) {
  std::string left;
  for (std::size_t at = text.find(kOpening); at != std::string_view::npos;
       at = text.find(kOpening)) {
    const std::size_t end = text.find(']', at);
    if (end == std::string_view::npos) break;
    const std::string_view inside = text.substr(at + kOpening.size(), end - at - kOpening.size());
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    // Nobody hides words of their own behind a detector's name.
    const bool is_mark = is_detector(inside.substr(0, colon)) &&
                         inside.find_first_not_of(":0123456789abcdef", colon) == inside.npos;
    left += text.substr(0, is_mark ? at : end + 1);
    text.remove_prefix(end + 1);
  }
  return left.append(text);
}

}  // namespace bartizan
