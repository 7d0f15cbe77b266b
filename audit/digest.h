#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <openssl/sha.h>

namespace bartizan {

/// A SHA-256 digest.
using Hash = std::array<std::uint8_t, 32>;

/// Computes SHA-256 without allocation, lock or failure. It uses OpenSSL's block function, with the
/// state in a plain value. The library's newer interface fetches and allocates for each digest,
/// which costs more than hashing a record.
///
/// Threads: one at a time.
/// Cost:    about 0.3 µs for 500 bytes.
class Digester {
 public:
  /// The digest of the concatenated parts.
  Hash sha256(std::span<const std::string_view> parts);
  Hash sha256(std::string_view text) { return sha256(std::span(&text, 1)); }

 private:
  SHA256_CTX state_;
};

/// HMAC-SHA-256 under one key. The two padded blocks of the key are hashed once.
///
/// Threads: any; immutable.
/// Cost:    the digest of the text and of two blocks.
/// Source:  RFC 2104.
class Hmac {
 public:
  explicit Hmac(std::string_view key);

  Hash digest(std::string_view text) const;

 private:
  SHA256_CTX inner_;
  SHA256_CTX outer_;
};

/// 64 lower-case hexadecimal digits.
std::array<char, 64> hex_text(const Hash& hash);

/// The hash that 64 lower-case hexadecimal digits represent. Nothing for other text.
std::optional<Hash> parse_hex(std::string_view text);

}  // namespace bartizan
