#include "gateway/runtime/random.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

namespace bartizan {

void Random::fill(std::span<std::uint8_t> bytes) {
  if (left_ < bytes.size()) {
    if (getrandom(block_.data(), block_.size(), 0) != static_cast<ssize_t>(block_.size())) abort();
    left_ = block_.size();
  }
  left_ -= bytes.size();
  const auto drawn = block_.begin() + static_cast<std::ptrdiff_t>(left_);
  std::copy_n(drawn, bytes.size(), bytes.begin());
  std::fill_n(drawn, bytes.size(), std::uint8_t{0});  // Nothing is given out twice.
}

std::string KeyedDigest::hex(const Hash& digest) {
  const std::array<char, 64> text = hex_text(digest);
  return {text.data(), text.size()};
}

}  // namespace bartizan
