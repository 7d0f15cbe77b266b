#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/identity/introspection.h"
#include "gateway/identity/verifier.h"
#include "gateway/token/signed_token.h"

namespace bartizan {

/// Authenticates by access tokens of the configured issuers, sent as `Authorization: Bearer TOKEN`.
/// A JWT is verified by its signature. At endpoints of an issuer with `introspection`, all other
/// tokens are verified by that issuer's answer.
///
/// Cost:   for a token that was verified before, two SHA-256 and a look into a table; otherwise the
///         verification of a signature. A caller waits for the issuer only if the token names an
///         unknown key, or if the issuer must be asked about the token. Such waits are bounded; see
///         `IssuerKeys` and `Introspection`.
/// Source: RFC 6750 §2.1; RFC 7662; RFC 8725; RFC 9068 §4; MCP 2026-07-28, basic/authorization,
///         "Token Handling".
class IssuerVerifier : public Verifier {
 public:
  IssuerVerifier(const std::vector<IssuerConfig>& issuers, VerifierParts parts);

  CredentialKind kind() const override { return CredentialKind::issuer; }
  bool is_shown(const Credentials& credentials) const override;
  /// Errors: beside those of `Verifier::verify`, each cause of `TokenFault` has its own sentence
  ///         for the record. Clients see one error for all causes.
  Task<Verification> verify(Loop& loop, Credentials credentials, std::int64_t now) const override;
  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view principal,
                                                    std::int64_t now) const override;

 private:
  struct Issuer {
    IssuerConfig config;
    IssuerKeysPtr keys;
    std::uint64_t terms = 0;                       ///< As in `Credential`.
    std::shared_ptr<Introspection> introspection;  ///< Null if its tokens are signed.
  };
  /// A parsed token, with the objects that it is judged by.
  struct Case;
  struct Digests;

  /// A question to an issuer about a token.
  struct Question;

  const Issuer* find_issuer(std::string_view name) const;
  const Issuer* issuer_of(const SignedToken& token, const Credentials& credentials) const;
  const Issuer* introspecting_issuer_at(const Credentials& credentials) const;
  bool accepts(const Issuer& issuer, const Credentials& credentials) const;
  IssuerConfig terms_at(const Issuer& issuer, const Credentials& credentials) const;
  static Digests digests_of(std::string_view token, std::string_view endpoint);
  Verification find_known(const Digests& digests, const Credentials& credentials,
                          std::int64_t now) const;
  std::expected<Proved, TokenFault> judge(const Case& token, const IssuerKeys::Known& keys) const;
  Task<Verification> verify_later(Loop& loop, std::unique_ptr<const Case> token,
                                  std::uint64_t version) const;
  Task<Verification> introspect(Loop& loop, std::unique_ptr<const Question> question) const;
  static Proved proved(const Issuer& issuer, const Hash& digest,
                       const std::shared_ptr<const TokenIdentity>& identity,
                       std::int64_t prove_again = kNeverExpires);

  std::vector<Issuer> issuers_;
  VerifierParts parts_;
};

/// Null if the configuration names no issuer.
VerifierPtr make_issuer_verifier(const AuthConfig& config, const VerifierParts& parts);

}  // namespace bartizan
