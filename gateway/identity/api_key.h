#pragma once

#include <array>
#include <map>

#include "gateway/identity/verifier.h"

namespace bartizan {

/// Authenticates by a configured key, sent as `Authorization: Bearer KEY`.
///
/// Cost:   one SHA-256 of the key. A key is looked up by its digest, so that timing reveals nothing
///         about keys, and compared in constant time.
/// Source: RFC 6750 §2.1.
class ApiKeyVerifier : public Verifier {
 public:
  /// Input: `accepted` of `parts`.
  ApiKeyVerifier(const AuthConfig& config, const VerifierParts& parts);

  CredentialKind kind() const override { return CredentialKind::api_key; }
  bool is_shown(const Credentials& credentials) const override;
  Task<Verification> verify(Loop& loop, Credentials credentials, std::int64_t now) const override;
  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view principal,
                                                    std::int64_t now) const override;

 private:
  Verification find(const Credentials& credentials, std::int64_t now) const;

  bool is_of_others(const Credentials& credentials, std::string_view token) const;

  bool leaves_tokens_;  ///< Values that look like access tokens are left to other verifiers.
  /// Issuers that are asked about values of no known shape.
  std::vector<std::string> introspecting_;
  AcceptedCredentialsPtr accepted_;
  std::map<std::array<std::uint8_t, 32>, ApiKeyConfig> keys_;
};

/// Null if the configuration has no keys.
VerifierPtr make_api_key_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
