#include "gateway/http/accept.h"

#include <algorithm>
#include <charconv>

#include "gateway/http/http_fields.h"

namespace bartizan {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t'))
    text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t'))
    text.remove_suffix(1);
  return text;
}

/// How closely a media range fits a type: from 0, not at all, to 3, exactly. Source: RFC 9110
/// §12.5.1.
int fit(std::string_view range, std::string_view type) {
  if (equal_ignoring_case(range, type)) return 3;
  if (range == "*/*") return 1;
  const std::string_view main = type.substr(0, type.find('/') + 1);
  const bool is_main =
      range.ends_with("/*") && equal_ignoring_case(range.substr(0, range.size() - 1), main);
  return is_main ? 2 : 0;
}

/// The weight of one element of an `Accept` list; 1 without a weight, 0 if it is not a number.
/// Source: RFC 9110 §12.4.2.
double quality(std::string_view element) {
  for (std::size_t at = element.find(';'); at != std::string_view::npos;) {
    const std::size_t end = element.find(';', at + 1);
    const std::string_view parameter = without_blanks(element.substr(at + 1, end - at - 1));
    at = end;
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    const std::string_view digits = parameter.substr(2);
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = error == std::errc() && stop == digits.data() + digits.size();
    return is_number && value >= 0 && value <= 1 ? value : 0;
  }
  return 1;
}

}  // namespace

MediaPreference preference(std::string_view accept, std::string_view type) {
  MediaPreference best;
  int best_fit = 0;
  for (std::size_t place = 0; !accept.empty(); ++place) {
    const std::size_t comma = std::min(accept.find(','), accept.size());
    const std::string_view element = accept.substr(0, comma);
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    const int its_fit = fit(without_blanks(element.substr(0, element.find(';'))), type);
    if (its_fit <= best_fit) continue;
    best_fit = its_fit;
    best = {quality(element), place};
  }
  return best;
}

bool accepts(std::string_view accept, std::string_view type) {
  return preference(accept, type).quality > 0;
}

bool prefers(std::string_view accept, std::string_view first, std::string_view second) {
  const MediaPreference one = preference(accept, first);
  const MediaPreference other = preference(accept, second);
  if (one.quality != other.quality) return one.quality > other.quality;
  return one.quality > 0 && one.place < other.place;
}

}  // namespace bartizan
