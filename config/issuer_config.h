#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/position.h"
#include "config/provider_client.h"
#include "config/signature_algorithm.h"

namespace bartizan {

/// Claim → value → what a token with that value is granted. A claim is one value or an array of
/// values; `scope` and `scp` are lists with blanks between the values. The grants of all values add
/// up. Missing claims and unlisted values grant nothing.
using ClaimMap = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

/// `[auth.issuer.NAME.introspection]`: for opaque tokens. The gateway asks the issuer about each
/// token (RFC 7662).
struct IntrospectionConfig {
  static constexpr std::chrono::seconds kCacheMax{30};

  std::string url = {};        ///< Empty: from the issuer's metadata.
  ProviderClient client = {};  ///< The gateway at the issuer.
  /// How long a response is cached; at most `kCacheMax`, and never beyond the token's `exp`.
  std::chrono::seconds cache = kCacheMax;
};

/// `[auth.issuer.NAME]`: an issuer whose access tokens authenticate principals, and the meaning of
/// their claims.
///
/// A claim is given by its name, such as `tid` or `https://example.com/roles`, or by a JSON pointer
/// (RFC 6901). A pointer starts with `/`, such as `/realm_access/roles`.
struct IssuerConfig {
  std::string name = {};
  std::string issuer = {};  ///< The value of `iss`, byte for byte.
  /// Accepted audiences: a token must have one of these. Never empty in a loaded configuration.
  std::vector<std::string> audiences = {};
  /// The claim with the audience. Only for an issuer without `aud`: Cognito uses `client_id`.
  std::string audience_claim = "aud";
  /// The location of its keys. If both are empty, its metadata gives the location.
  std::string jwks_url = {};
  std::string jwks_file = {};
  /// Accepted signature algorithms; empty: all that are supported. The key must fit in any case.
  std::vector<SignatureAlgorithm> algorithms = {};
  /// Claims that only access tokens of this issuer have. A token without any, and without the type
  /// `at+jwt` in its header (RFC 9068), is refused. It may be an ID token, which is for the client
  /// and authorizes no calls. `roles` and `azp` are not among the defaults, because ID tokens of
  /// Entra and of Keycloak have them.
  std::vector<std::string> access_claims = {"scope", "scp"};
  /// Claim → accepted values, such as for `tid`, `azp` or `token_use`. The token must have one.
  std::map<std::string, std::vector<std::string>> require = {};
  /// The largest accepted difference between the issuer's clock and ours.
  std::chrono::seconds clock_skew{60};
  /// The longest accepted lifetime: from `iat`, or from now without `iat`, to `exp`. Longer tokens
  /// are refused.
  std::chrono::seconds max_lifetime{86'400};
  /// The claim that identifies the principal. Its id is `NAME:VALUE`.
  std::string principal = "sub";
  ClaimMap roles = {};
  ClaimMap permissions = {};
  /// Attribute name → the claim with its value.
  std::map<std::string, std::string> attributes = {};
  /// The issuer's addresses may be in private networks or on this machine.
  bool private_networks = false;
  std::string ca_file = {};  ///< `tls_ca`: PEM roots for the issuer; system roots if empty.
  /// How long known keys are used when newer ones cannot be fetched.
  std::chrono::seconds keys_max_age{86'400};
  /// If set, the issuer has no keys here: only its introspection endpoint reads tokens.
  std::optional<IntrospectionConfig> introspection = {};
  Position where = {};
};

}  // namespace bartizan
