#include "schemas/json/lone_surrogates.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "schemas/base/ascii.h"

namespace bartizan {
namespace {

constexpr std::size_t kEscapeSize = 6;
constexpr std::string_view kReplacement = "\\ufffd";

enum class Unit : std::uint8_t { none, other, high, low };

/// The kind of the `\u` escape at `at`; `none` if there is no such escape.
Unit unit_at(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), kEscapeSize);
  if (escape.size() < kEscapeSize || !escape.starts_with("\\u")) return Unit::none;
  if (!std::ranges::all_of(escape.substr(2), is_hex)) return Unit::none;
  if (lower_case(escape[2]) != 'd' || escape[3] < '8') return Unit::other;
  const char second = lower_case(escape[3]);
  const bool is_high = second == '8' || second == '9' || second == 'a' || second == 'b';
  return is_high ? Unit::high : Unit::low;
}

}  // namespace

std::size_t replace_lone_surrogates(Bytes& text) {
  const std::string_view seen = text.view();
  std::string left;
  std::size_t count = 0;
  std::size_t kept = 0;
  for (std::size_t at = seen.find('\\'); at < seen.size(); at = seen.find('\\', at)) {
    const Unit unit = unit_at(seen, at);
    if (unit == Unit::none) {
      at += 2;  // The backslash and the escaped character, perhaps another backslash.
    } else if (unit == Unit::other) {
      at += kEscapeSize;
    } else if (unit == Unit::high && unit_at(seen, at + kEscapeSize) == Unit::low) {
      at += 2 * kEscapeSize;
    } else {
      left.append(seen, kept, at - kept).append(kReplacement);
      at += kEscapeSize;
      kept = at;
      ++count;
    }
  }
  if (count > 0) text = Bytes(std::move(left.append(seen, kept)));
  return count;
}

}  // namespace bartizan
