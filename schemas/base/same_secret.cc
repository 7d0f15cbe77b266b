#include "schemas/base/same_secret.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bartizan {

bool is_same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  std::uint64_t difference = 0;
  const auto add = [&](std::size_t at, std::size_t size) {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    std::memcpy(&left, one.data() + at, size);
    std::memcpy(&right, other.data() + at, size);
    difference |= left ^ right;
    // The value must be opaque to the compiler, or it could leave the loop at the first difference.
    asm volatile("" : "+r"(difference));
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t at = 0;
  for (; at + kWord <= one.size(); at += kWord)
    add(at, kWord);
  if (at < one.size()) add(at, one.size() - at);
  return difference == 0;
}

}  // namespace bartizan
