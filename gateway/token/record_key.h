#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/token/jwk_set.h"
#include "schemas/base/result.h"

struct evp_pkey_st;

namespace bartizan {

/// The key with which the gateway signs proofs about its record: Ed25519.
///
/// Threads: any; immutable.
class RecordKey {
 public:
  /// Input:  a private key in PEM, without a passphrase. The text is not needed afterwards.
  /// Errors: config_invalid if it is not such a key. No error contains any part of it.
  static Result<RecordKey> read(std::string_view pem);

  /// The key id: the thumbprint of the public part. Source: RFC 7638 §3; RFC 8037, appendix A.3.
  const std::string& id() const { return id_; }
  /// The public part: `{"crv":"Ed25519","kty":"OKP","x":"…"}`.
  const std::string& jwk() const { return jwk_; }
  /// A compact JWS of the claims, under a header with `alg`, `kid` and this `typ`.
  ///
  /// Input:  claims as a JSON object; `type` needs no escape.
  /// Errors: config_invalid if the library cannot sign.
  /// Cost:   about 50 µs.
  /// Source: RFC 7515 §3.1; RFC 8037 §3.1; RFC 8725 §3.11.
  Result<std::string> sign(std::string_view type, std::string_view claims_json) const;

 private:
  RecordKey() = default;

  std::shared_ptr<evp_pkey_st> key_;
  std::string id_;
  std::string jwk_;
};

/// A public key whose owner signs elsewhere, with its thumbprint as the id.
/// Input:  an Ed25519 public key in PEM.
/// Errors: config_invalid if it is not one, such as a private key.
Result<IssuerKey> read_signer_key(std::string_view pem);

}  // namespace bartizan
