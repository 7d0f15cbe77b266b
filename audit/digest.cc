#include "audit/digest.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstddef>

namespace bartizan {
namespace {

// -1 for any other character: each hash has one spelling.
int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

/// The state after one block with the key, each byte combined with `pad`.
SHA256_CTX keyed_state(std::string_view key, std::uint8_t pad) {
  std::array<std::uint8_t, SHA256_CBLOCK> block{};
  std::copy(key.begin(), key.end(), block.begin());
  for (std::uint8_t& byte : block)
    byte ^= pad;
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, block.data(), block.size());
  OPENSSL_cleanse(block.data(), block.size());
  return state;
}

}  // namespace

Hash Digester::sha256(std::span<const std::string_view> parts) {
  Hash hash;
  SHA256_Init(&state_);
  for (const std::string_view part : parts)
    SHA256_Update(&state_, part.data(), part.size());
  SHA256_Final(hash.data(), &state_);
  return hash;
}

Hmac::Hmac(std::string_view key) {
  Hash short_key{};
  if (key.size() > SHA256_CBLOCK) {
    short_key = Digester().sha256(key);
    key = {reinterpret_cast<const char*>(short_key.data()), short_key.size()};
  }
  inner_ = keyed_state(key, 0x36);
  outer_ = keyed_state(key, 0x5c);
}

Hash Hmac::digest(std::string_view text) const {
  Hash hash;
  SHA256_CTX state = inner_;
  SHA256_Update(&state, text.data(), text.size());
  SHA256_Final(hash.data(), &state);
  state = outer_;
  SHA256_Update(&state, hash.data(), hash.size());
  SHA256_Final(hash.data(), &state);
  return hash;
}

std::array<char, 64> hex_text(const Hash& hash) {
  // Splits all bytes into halves first, and computes each digit by sums instead of a table. So the
  // compiler handles sixteen of them with each instruction.
  std::array<std::uint8_t, 64> halves;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    halves[2 * i] = static_cast<std::uint8_t>(hash[i] >> 4);
    halves[2 * i + 1] = static_cast<std::uint8_t>(hash[i] & 15);
  }
  std::array<char, 64> text;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const int letter = halves[i] > 9 ? 'a' - '9' - 1 : 0;
    text[i] = static_cast<char>(halves[i] + '0' + letter);
  }
  return text;
}

std::optional<Hash> parse_hex(std::string_view text) {
  Hash hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const int high = digit_value(text[2 * i]);
    const int low = digit_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return hash;
}

}  // namespace bartizan
