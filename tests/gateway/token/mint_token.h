#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "config/signature_algorithm.h"
#include "gateway/token/base64url.h"
#include "gateway/token/public_key.h"

namespace bartizan {

/// A key that signs tokens in tests. Each is made by OpenSSL, once in a run.
class SigningKey {
 public:
  explicit SigningKey(KeyKind kind);

  /// One for each kind, and another one of the most usual kind.
  static const SigningKey& of(KeyKind kind);
  static const SigningKey& stranger();

  /// The public part as a JWK, with further members in front: `"kid":"k1",`.
  std::string jwk(std::string_view members = {}) const;
  /// The number behind one member of the JWK: `n`, `e`, `x`, `y`.
  std::string number(std::string_view member) const;
  /// As a token has it.
  std::string sign(SignatureAlgorithm algorithm, std::string_view input) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
  };

  KeyKind kind_;
  std::unique_ptr<evp_pkey_st, Free> key_;
};

/// A signed token of these texts.
std::string mint(const SigningKey& key, SignatureAlgorithm algorithm, std::string_view header,
                 std::string_view claims);
/// The texts of a token, with a signature that was made elsewhere.
std::string join_token(std::string_view header, std::string_view claims,
                       std::string_view signature);

}  // namespace bartizan
