#include "policy/path/text_beginning.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::size_t kCharacterBytesMax = 4;

/// Whether bytes begin a character without its end.
bool is_cut_character(std::string_view bytes) {
  if (bytes.size() >= kCharacterBytesMax) return false;
  // The rest of a character is filled with the least or the greatest continuation bytes. The lead
  // byte determines which of the two are allowed.
  for (const char filler : {'\x80', '\xbf'}) {
    std::array<char, kCharacterBytesMax> whole;
    whole.fill(filler);
    std::ranges::copy(bytes, whole.begin());
    const std::size_t size = utf8_sequence_size({whole.data(), whole.size()}, 0);
    if (size > bytes.size()) return true;
  }
  return false;
}

}  // namespace

bool begins_as_text(std::string_view beginning, bool is_whole) {
  if (beginning.contains('\0')) return false;
  for (std::size_t at = 0; at < beginning.size();) {
    const std::size_t size = utf8_sequence_size(beginning, at);
    if (size == 0) return !is_whole && is_cut_character(beginning.substr(at));
    at += size;
  }
  return true;
}

}  // namespace bartizan
