#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>

#include "config/signature_algorithm.h"
#include "gateway/token/key_defect.h"
#include "gateway/token/token_fault.h"

struct evp_pkey_st;

namespace bartizan {

/// The kind of a key. A curve determines its signature algorithm.
enum class KeyKind : std::uint8_t { rsa, p256, p384, p521, ed25519 };

/// The kind of key that an algorithm signs with. Source: RFC 7518 §3.3 to §3.5; RFC 8037 §3.1.
KeyKind kind_of(SignatureAlgorithm algorithm);

/// The algorithm with exactly that name.
std::optional<SignatureAlgorithm> find_algorithm(std::string_view name);

/// A key that verifies signatures. Unsound keys are rejected at construction.
///
/// Threads: any; immutable.
class PublicKey {
 public:
  /// Input:  big-endian numbers, without leading zeros.
  /// Errors: length, modulus_size, modulus_even, exponent.
  static std::expected<PublicKey, KeyDefect> make_rsa(std::string_view modulus,
                                                      std::string_view exponent);
  /// Input:  one of the three kinds of elliptic curves; coordinates, each as long as the field.
  /// Errors: length, point.
  static std::expected<PublicKey, KeyDefect> make_ec(KeyKind kind, std::string_view x,
                                                     std::string_view y);
  /// Errors: length, point.
  static std::expected<PublicKey, KeyDefect> make_ed25519(std::string_view bytes);

  KeyKind kind() const { return kind_; }

  /// Whether `signature` is a signature of `input` by this key and algorithm.
  ///
  /// Input:  an algorithm of the key's kind. A signature as in a token: for elliptic curves r and
  ///         s, each as long as the order, not DER.
  /// Errors: signature_length, signature_range (r or s is 0, or not below the order),
  ///         signature_wrong.
  /// Cost:   20 to 200 µs; allocates.
  /// Source: RFC 7518 §3.3, §3.4 and §3.5 (the salt is as long as the digest); RFC 8032 §5.1.7.
  std::expected<void, TokenFault> verify(SignatureAlgorithm algorithm, std::string_view input,
                                         std::string_view signature) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };
  using KeyPointer = std::unique_ptr<evp_pkey_st, Free>;

  PublicKey(KeyKind kind, KeyPointer key) : key_(std::move(key)), kind_(kind) {}

  KeyPointer key_;
  KeyKind kind_;
};

}  // namespace bartizan
