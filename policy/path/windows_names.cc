#include "policy/path/windows_names.h"

#include <algorithm>
#include <array>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

bool is_same_word(std::string_view one, std::string_view lower) {
  return std::ranges::equal(one, lower, {}, lower_case);
}

/// A digit, or one of the three superscript ones that count as digits in `COM¹`.
bool is_port(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSuperscripts{"\xc2\xb9", "\xc2\xb2", "\xc2\xb3"};
  return (text.size() == 1 && is_digit(text.front())) ||
         std::ranges::find(kSuperscripts, text) != kSuperscripts.end();
}

bool is_device(std::string_view component) {
  constexpr std::array<std::string_view, 7> kDevices{"aux",     "clock$", "con", "conin$",
                                                     "conout$", "nul",    "prn"};
  std::string_view base = component.substr(0, component.find('.'));
  base = base.substr(0, base.find_last_not_of(' ') + 1);
  if (std::ranges::any_of(kDevices, [&](auto device) { return is_same_word(base, device); })) {
    return true;
  }
  const std::string_view word = base.substr(0, 3);
  return (is_same_word(word, "com") || is_same_word(word, "lpt")) &&
         is_port(base.substr(word.size()));
}

/// Whether it is the short alias that a file with a long name has.
bool is_short_name(std::string_view component) {
  const std::size_t tilde = component.find('~');
  return tilde != std::string_view::npos && tilde + 1 < component.size() &&
         is_digit(component[tilde + 1]);
}

}  // namespace

bool is_special_on_windows(std::string_view component) {
  if (component.empty()) return false;
  const bool loses_its_end = component.back() == '.' || component.back() == ' ';
  return loses_its_end || component.find_first_of("<>:\"|?*") != std::string_view::npos ||
         is_device(component) || is_short_name(component);
}

}  // namespace bartizan
