#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/text/hidden_text.h"
#include "schemas/json/json_text.h"

/// What is hidden lies in the text, in order; valid UTF-8 stays so without it, and nothing is
/// hidden in it then.

namespace {

using namespace bartizan;

std::string without_hidden(std::string_view text) {
  std::string left;
  std::size_t at = 0;
  for (const HiddenPart& part : find_hidden(text)) {
    require(part.range.begin >= at && part.range.size() > 0 && part.range.end <= text.size());
    left.append(text.substr(at, part.range.begin - at));
    if (part.kind == HiddenKind::line_break) left += '\n';
    at = part.range.end;
  }
  return left.append(text.substr(at));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string left = without_hidden(text);
  if (is_valid_utf8(text)) require(is_valid_utf8(left) && find_hidden(left).empty());
  return 0;
}
