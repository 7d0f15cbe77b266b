#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/identity/accepted_credentials.h"
#include "gateway/identity/credentials.h"
#include "gateway/identity/living_principals.h"
#include "gateway/identity/verifier.h"
#include "policy/check/compile_policy.h"

namespace bartizan {

/// A kind of credentials and its verifier. A new kind is a row of `kCredentialKinds`.
struct CredentialKindEntry {
  CredentialKind kind;
  /// Null if the configuration does not allow the kind.
  VerifierPtr (*make)(const AuthConfig& config, const VerifierParts& parts);
};

/// In the order in which verifiers are asked whether their credential is shown.
extern const std::span<const CredentialKindEntry> kCredentialKinds;

/// The authentication of one configuration: its verifiers, and the principals of its policy.
///
/// Lifetime: within that of `living`.
/// Threads:  any; immutable.
class Authenticator {
 public:
  Authenticator(const AuthConfig& config, std::shared_ptr<const Policy> policy,
                LivingPrincipals& living, const VerifierParts& parts = {});
  /// Input: `accepted` and `revocations` of `parts`.
  Authenticator(std::vector<VerifierPtr> verifiers, std::shared_ptr<const Policy> policy,
                LivingPrincipals& living, const VerifierParts& parts = {});

  /// Authenticates the caller, for each request anew. The answer is ready unless an issuer or the
  /// state file must be asked. It then comes on that loop, which must be the caller's.
  ///
  /// Input:   credentials, whose views live until the answer. `now` is in seconds since 1970.
  /// Errors:  unauthenticated (none shown that the endpoint accepts); credentials_invalid;
  ///          credentials_expired; issuer_unavailable; revoked; blocked; principal_unknown;
  ///          overloaded if no more principals may live. credentials_invalid includes a token in
  ///          the URL, a credential that the endpoint does not accept, and claims with the name of
  ///          a configured principal.
  /// Source:  MCP 2026-07-28, basic/authorization, "Access Token Usage"; RFC 6750 §2.1, §2.3.
  Task<Authentication> prove(Loop& loop, Credentials credentials, std::int64_t now) const;

  /// The present identity of a caller that was authenticated before, perhaps under another
  /// configuration: the principal as this policy knows it.
  /// Errors: credentials_invalid for a credential that was removed, given to another principal, or
  ///         is of a kind that is not accepted any more; credentials_expired; revoked; blocked;
  ///         principal_unknown; overloaded.
  std::expected<PrincipalPtr, AuthenticationFailure> review(const Principal& principal,
                                                            const Credential& credential,
                                                            std::int64_t now) const;

  /// The principal as this policy knows it, whether or not its credential is still valid. Null for
  /// a configured principal that was removed.
  PrincipalPtr rebind(const Principal& principal) const;

  /// Whether a principal of that id is configured or lives.
  bool knows(std::string_view id) const;

 private:
  Authentication admit(Verification verification, std::optional<std::string> endpoint) const;
  Task<Authentication> admit_later(Task<Verification> verification,
                                   std::optional<std::string> endpoint) const;
  std::expected<PrincipalPtr, AuthenticationFailure> find(std::string_view id,
                                                          const ClaimsPtr& claims) const;

  std::vector<VerifierPtr> verifiers_;
  AcceptedCredentialsPtr accepted_;
  std::shared_ptr<const RevocationTable> revocations_;  ///< Null: nothing is revoked.
  std::shared_ptr<const Policy> policy_;
  LivingPrincipals* living_;
};

}  // namespace bartizan
