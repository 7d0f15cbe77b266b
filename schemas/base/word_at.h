#pragma once

#include <cstdint>
#include <cstring>

namespace bartizan {

/// The bytes at `at` as a number, in the machine's byte order: for hashes, not for formats.
template <class Word>
std::uint64_t word_at(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace bartizan
