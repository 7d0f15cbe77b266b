#include "policy/text/printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "schemas/json/json_text.h"

namespace bartizan {

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const char c = text.front();
    const Utf8Character character = read_utf8(text);
    if (c >= ' ' && c < 0x7f) {
      shown += c;
    } else if (character.size > 0) {
      shown += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(character.value));
    } else {
      shown += "\\u{fffd}";
    }
    text.remove_prefix(std::max<std::size_t>(character.size, 1));
  }
  return shown;
}

}  // namespace bartizan
