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

/// What the gateway needs to know of a way of proving. A new one is a row of `kCredentialKinds`.
struct CredentialKindEntry {
  CredentialKind kind;
  /// Null where the configuration does not allow it.
  VerifierPtr (*make)(const AuthConfig& config, const VerifierParts& parts);
};

/// In the order in which they are asked whether their credential is shown.
extern const std::span<const CredentialKindEntry> kCredentialKinds;

/// The ways of proving that one configuration allows, and whom its policy knows.
///
/// Lifetime: within that of `living`.
/// Threads:  any; immutable.
class Authenticator {
 public:
  Authenticator(const AuthConfig& config, std::shared_ptr<const Policy> policy,
                LivingPrincipals& living, const VerifierParts& parts = {});
  /// Input: of `parts` what is accepted where, and what is revoked.
  Authenticator(std::vector<VerifierPtr> verifiers, std::shared_ptr<const Policy> policy,
                LivingPrincipals& living, const VerifierParts& parts = {});

  /// Proves who calls, for each request anew. The answer is ready where nobody else is asked, and
  /// comes on that loop, which the caller is on, otherwise.
  ///
  /// Input:   credentials; what they view lives until the answer. `now` is in seconds since 1970.
  /// Errors:  unauthenticated (none shown that the endpoint accepts), credentials_invalid (also
  ///          in a place where they must not be, of an endpoint that does not accept them, and of
  ///          claims by the name of a configured principal), credentials_expired,
  ///          issuer_unavailable,
  ///          principal_unknown; overloaded where no more principals may live.
  /// Source:  MCP 2026-07-28, basic/authorization, "Access Token Usage"; RFC 6750 §2.1, §2.3.
  Task<Authentication> prove(Loop& loop, Credentials credentials, std::int64_t now) const;

  /// Who somebody is now who was proved before, perhaps under another configuration: the principal
  /// as this policy knows it.
  /// Errors: credentials_invalid for what was removed, given to somebody else, or is of a kind that
  ///         is not accepted any more; credentials_expired; principal_unknown; overloaded.
  std::expected<PrincipalPtr, AuthenticationFailure> review(const Principal& principal,
                                                            const Credential& credential,
                                                            std::int64_t now) const;

  /// That principal as this policy knows it, whatever became of its credential. Null for one of the
  /// configuration that it does not have any more.
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
