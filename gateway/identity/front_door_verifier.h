#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/identity/verifier.h"
#include "gateway/store/grants.h"

namespace bartizan {

/// The prefix of access tokens of front doors.
inline constexpr std::string_view kAccessTokenPrefix = "btza_";

/// Authenticates by access tokens that the front doors of this gateway issued to clients.
///
/// A token contains no data. The state file has its SHA-256, and with it the grant. The grant's
/// user gets the identity from the provider's claims at the last refresh, mapped by the present
/// configuration.
///
/// Cost:   for a token that was verified before, one SHA-256 and a look into two tables; otherwise
///         a question to the state file.
/// Source: RFC 6750 §2.1; MCP 2026-07-28, basic/authorization, "Token Handling".
class FrontDoorVerifier : public Verifier {
 public:
  FrontDoorVerifier(std::vector<FrontDoorConfig> doors, VerifierParts parts);

  CredentialKind kind() const override { return CredentialKind::front_door; }
  bool is_shown(const Credentials& credentials) const override;
  Task<Verification> verify(Loop& loop, Credentials credentials, std::int64_t now) const override;
  std::expected<void, AuthenticationFailure> review(const Credential& credential,
                                                    std::string_view principal,
                                                    std::int64_t now) const override;

 private:
  struct Door {
    FrontDoorConfig config;
    std::uint64_t terms = 0;  ///< As in `Credential`.
  };

  const Door* find_door(std::string_view name) const;
  /// The rights of a token depend on the endpoint; a revocation applies everywhere.
  struct Digests {
    Hash token;
    Hash here;  ///< Of the token and the endpoint.
  };
  Verification find_known(const Digests& digests, std::int64_t now) const;
  Task<Verification> look_up(Loop& loop, Hash digest, std::string endpoint, std::int64_t now) const;
  Verification judge(const Grants::Found& found, const Digests& digests,
                     std::string_view endpoint) const;
  Proved proved(const Door& door, const Hash& digest,
                const std::shared_ptr<const TokenIdentity>& identity) const;

  std::vector<Door> doors_;
  VerifierParts parts_;
};

/// Null if the configuration has no front door, or no state file.
VerifierPtr make_front_door_verifier(const AuthConfig& config, const VerifierParts& parts);

/// A number that stands for the settings of a front door that affect identities; as in
/// `Credential`.
std::uint64_t front_door_terms(const FrontDoorConfig& door);

/// Whether a grant is older than the scopes of its front door. It has no scopes, and would have no
/// role. Its user must sign in again.
bool lacks_scopes(const FrontDoorConfig& door, const Grant& grant);

/// The identity of a grant, from the provider's claims about its user, mapped by the configuration,
/// with the grant's scopes, client and id. Roles are not reduced to those scopes. Times and
/// bindings of a token stay empty.
///
/// Errors: issuer_other for a grant of another provider; requirement, and those of `read_identity`;
///         claims_json if the claims cannot be parsed.
std::expected<TokenIdentity, TokenFault> read_grant(const FrontDoorConfig& door,
                                                    const Grant& grant);

}  // namespace bartizan
