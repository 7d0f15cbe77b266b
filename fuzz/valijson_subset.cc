#include "fuzz/valijson_subset.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

constexpr std::size_t kDepthMax = 16;
constexpr std::size_t kTextBytesMax = 1024;

/// What a pair holds that matters to valijson, taken together.
struct Contents {
  bool has_divisor = false;
  bool has_fraction = false;
  bool has_text_like_number = false;
};

bool is_like_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return end != text.c_str();
}

bool is_fit_text(std::string_view text) {
  return text.size() <= kTextBytesMax && !text.contains('\0');
}

/// Whole numbers without a point, and decimals of few digits with something behind it.
bool is_fit_number(JsonValue value, Contents& contents) {
  const std::string_view raw = value.raw();
  if (raw.size() > 15 || raw.find_first_of("eE") != std::string_view::npos) return false;
  const double number = value.number().value_or(0);
  if (!raw.contains('.')) return true;
  contents.has_fraction = true;
  return number != std::trunc(number);
}

/// Keywords that valijson is not asked about. `/` and `~` in a name: valijson keeps schemas by
/// their pointers, and does not escape these.
bool is_fit_name(std::string_view name) {
  return is_fit_text(name) && name.find_first_of("/~") == std::string_view::npos &&
         (!name.starts_with('$') || name == "$schema") && name != "pattern" &&
         name != "patternProperties" && name != "format";
}

bool is_fit(JsonValue value, std::size_t depth, Contents& contents) {
  if (depth > kDepthMax || !is_fit_name(value.key())) return false;
  if (value.key() == "multipleOf") contents.has_divisor = true;
  if (is_like_number(std::string(value.key()))) contents.has_text_like_number = true;
  if (value.is(JsonType::number)) return is_fit_number(value, contents);
  if (value.is(JsonType::string)) {
    const std::string_view text = value.text();
    if (is_like_number(std::string(text))) contents.has_text_like_number = true;
    return is_fit_text(text);
  }
  return std::ranges::all_of(value.begin(), value.end(),
                             [&](JsonValue child) { return is_fit(child, depth + 1, contents); });
}

}  // namespace

bool is_for_valijson(JsonValue schema, JsonValue value) {
  Contents contents;
  if (!is_fit(schema, 0, contents) || !is_fit(value, 0, contents)) return false;
  return !contents.has_divisor || (!contents.has_fraction && !contents.has_text_like_number);
}

}  // namespace bartizan
