#include "policy/may_hide.h"

#include <cstddef>
#include <cstdint>

#include "schemas/byte_block.h"

namespace bartizan {

bool may_hide(std::string_view json) {
  std::uint64_t escapes = 0;
  for (std::size_t at = 0; at < json.size(); at += ByteBlock::kBytes) {
    const ByteBlock block(json, at);
    escapes |= block.equal('\\');
    const std::uint64_t doubtful = block.below(' ') | block.equal('\x7F');
    if (doubtful == 0) continue;
    // Between strings there may be line breaks; within them a reader refuses them.
    const std::uint64_t blanks = block.equal('\n') | block.equal('\r') | block.equal('\t');
    if ((doubtful & ~blanks) != 0) return true;
  }
  if (escapes == 0) return false;
  constexpr std::string_view kHarmless = "nt\"\\";
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at + 2)) {
    if (!kHarmless.contains(json.substr(at + 1, 1))) return true;
  }
  return false;
}

}  // namespace bartizan
