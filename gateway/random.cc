#include "gateway/random.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "audit/digest.h"

namespace bartizan {

void Random::fill(std::span<std::uint8_t> bytes) {
  for (std::uint8_t& byte : bytes) {
    if (left_ == 0) {
      if (getrandom(block_.data(), block_.size(), 0) != static_cast<ssize_t>(block_.size()))
        abort();
      left_ = block_.size();
    }
    byte = block_[--left_];
    block_[left_] = 0;
  }
}

std::array<std::uint8_t, 32> KeyedDigest::digest(std::string_view bytes) const {
  std::array<std::uint8_t, 32> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &size);
  return digest;
}

std::string KeyedDigest::hex(const std::array<std::uint8_t, 32>& digest) {
  const std::array<char, 64> text = hex_text(digest);
  return {text.data(), text.size()};
}

}  // namespace bartizan
