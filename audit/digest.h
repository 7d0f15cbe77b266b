#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <openssl/evp.h>

namespace bartizan {

/// A SHA-256.
using Hash = std::array<std::uint8_t, 32>;

/// Computes SHA-256 with memory that is used again: fetching the algorithm and allocating the
/// context cost more than hashing a record does.
///
/// Threads: one at a time.
/// Cost:    about 0.3 µs for 500 bytes.
class Digester {
 public:
  Digester();

  /// The digest of the parts, one behind the other; all zero if the cryptographic library has no
  /// SHA-256, which no record then verifies against.
  Hash sha256(std::span<const std::string_view> parts);
  Hash sha256(std::string_view text) { return sha256(std::span(&text, 1)); }

 private:
  struct Free {
    void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD, Free> algorithm_;
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

/// 64 lower-case hexadecimal digits.
std::array<char, 64> hex_text(const Hash& hash);

/// The hash that 64 lower-case hexadecimal digits spell, or nothing.
std::optional<Hash> parse_hex(std::string_view text);

}  // namespace bartizan
