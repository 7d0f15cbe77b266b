#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/identity/verifier.h"
#include "gateway/store/grants.h"

namespace bartizan {

/// What access tokens of front doors begin with.
inline constexpr std::string_view kAccessTokenPrefix = "btza_";

/// Proves by access tokens that the front doors of this gateway gave to clients.
///
/// A token says nothing by itself: the state file has its SHA-256, and with it the grant. What the
/// grant's user is follows from what the provider said of him at the last refresh, as the present
/// configuration maps it.
///
/// Cost:   of a token that was proved before one SHA-256 and a look into two tables; otherwise a
///         question to the state file.
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
  /// What a token is worth depends on where it is shown; it is revoked everywhere.
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

/// Null where the configuration has no front door, or no state file.
VerifierPtr make_front_door_verifier(const AuthConfig& config, const VerifierParts& parts);

/// What decides whom a front door proves, as a number; as in `Credential`.
std::uint64_t front_door_terms(const FrontDoorConfig& door);

/// Whether a grant is older than the scopes of its front door: it has none, and would have no role.
/// Its user has to sign in again.
bool lacks_scopes(const FrontDoorConfig& door, const Grant& grant);

/// Whom a grant is of, as the configuration maps what the provider said of its user: his id, and of
/// his roles those that its scopes can have. All that a token says of times and bindings stays
/// empty.
///
/// Errors: issuer_other for a grant of another provider; requirement, and those of `read_identity`;
///         claims_json where the claims cannot be read.
std::expected<TokenIdentity, TokenFault> read_grant(const FrontDoorConfig& door,
                                                    const Grant& grant);

}  // namespace bartizan
