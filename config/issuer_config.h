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

/// What values of claims stand for: by the claim, by its value, what whoever has it gets. A claim
/// is an array of values, or one value; `scope` and `scp` are values between blanks. All that a
/// token has add up. A claim that the token has not, and a value that is not here, give nothing.
using ClaimMap = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

/// `[auth.issuer.NAME.introspection]`: the issuer's tokens say nothing by themselves, and it is
/// asked about each (RFC 7662).
struct IntrospectionConfig {
  static constexpr std::chrono::seconds kCacheMax{30};

  std::string url = {};        ///< Empty: as the issuer's metadata says.
  ProviderClient client = {};  ///< The gateway at the issuer.
  /// How long an answer is remembered, `kCacheMax` at most, and never beyond the token's `exp`.
  std::chrono::seconds cache = kCacheMax;
};

/// `[auth.issuer.NAME]`: whose access tokens prove principals, and what their claims stand for.
///
/// A claim is named by its name, such as `tid` or `https://example.com/roles`, or by a JSON pointer
/// (RFC 6901), which begins with `/`, such as `/realm_access/roles`.
struct IssuerConfig {
  std::string name = {};
  std::string issuer = {};  ///< As `iss` spells it, byte for byte.
  /// What tokens must be for: one of these is the audience of the token, or one of several. Never
  /// empty in a configuration that was loaded.
  std::vector<std::string> audiences = {};
  /// Which claim says what a token is for. Only for an issuer that sends no `aud`: Cognito says it
  /// in `client_id`.
  std::string audience_claim = "aud";
  /// Where its keys are; without both they are found by its metadata.
  std::string jwks_url = {};
  std::string jwks_file = {};
  /// What it may sign by; empty is all that we know. The key has to fit in any case.
  std::vector<SignatureAlgorithm> algorithms = {};
  /// Claims that only an access token of this issuer has. A token without any, and whose header
  /// does not say `at+jwt` either (RFC 9068), is refused: it may be an ID token, which is for the
  /// client and no leave to call anybody. Not among the defaults are `roles` and `azp`: the ID
  /// tokens of Entra and of Keycloak have them.
  std::vector<std::string> access_claims = {"scope", "scp"};
  /// By the claim, values of which the token must have one: `tid`, `azp`, `token_use`.
  std::map<std::string, std::vector<std::string>> require = {};
  /// How far the issuer's clock may be from ours.
  std::chrono::seconds clock_skew{60};
  /// From `iat`, or from now where there is none, to `exp`. What lives longer is refused.
  std::chrono::seconds max_lifetime{86'400};
  /// The claim that says who the principal is. Its id is `NAME:VALUE`.
  std::string principal = "sub";
  ClaimMap roles = {};
  ClaimMap permissions = {};
  /// By the attribute's name, the claim that has its value.
  std::map<std::string, std::string> attributes = {};
  /// The addresses of the issuer may be of private networks, or this machine's.
  bool private_networks = false;
  std::string ca_file = {};  ///< `tls_ca`: PEM roots for the issuer; system roots if empty.
  /// For how long known keys are used when no newer ones can be had.
  std::chrono::seconds keys_max_age{86'400};
  /// Then it has no keys: nothing of a token is read but by the issuer.
  std::optional<IntrospectionConfig> introspection = {};
  Position where = {};
};

}  // namespace bartizan
