#include "policy/path/digest_set.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace bartizan {

DigestSet::DigestSet(const DigestPredicate& digest, std::optional<PathRules> path)
    : digests_(digest.sha256), path_(std::move(path)) {
  std::ranges::sort(digests_);
}

bool DigestSet::has(std::string_view sha256) const {
  return std::ranges::binary_search(digests_, sha256, {},
                                    [](const std::string& one) { return std::string_view(one); });
}

bool DigestSet::has_digest_of(std::string_view bytes) const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return false;
  }
  std::array<char, std::size_t{2} * EVP_MAX_MD_SIZE> hex{};
  for (std::size_t i = 0; i < size; ++i) {
    hex[2 * i] = kDigits[digest[i] >> 4];
    hex[2 * i + 1] = kDigits[digest[i] & 0xF];
  }
  return has({hex.data(), std::size_t{2} * size});
}

}  // namespace bartizan
