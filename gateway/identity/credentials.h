#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/transport.h"
#include "gateway/http/http_head.h"
#include "policy/verdict/principal.h"
#include "policy/verdict/reason.h"

namespace bartizan {

/// All credentials that a peer showed, as its transport received them. Each verifier reads its own
/// part.
///
/// Lifetime: views; valid until the question about them is answered.
struct Credentials {
  Transport transport = Transport::http;
  /// The value of the `Authorization` header: a scheme and its parameters.
  std::optional<std::string_view> authorization = {};
  /// For a transport with headers; null otherwise.
  const RequestHead* head = nullptr;
  /// `ip:port`, or `uid:N` of the process at the other end of a Unix socket, from the kernel.
  std::string_view peer = {};
  /// Name of the `[socket.NAME]` that the peer connected to; empty for none.
  std::string_view socket = {};
  /// Name of the endpoint that the request came to; empty for that of `[listen] path`. Nothing if
  /// the transport has none.
  std::optional<std::string_view> endpoint = {};
  /// The certificates that the peer proved to be its own in the TLS handshake: verified, in DER,
  /// the peer's first. Empty if it showed none.
  std::span<const std::string> certificates = {};
};

/// The kinds of credentials. Each has a row of `kCredentialKinds` and a `Verifier`.
enum class CredentialKind : std::uint8_t {
  configured,  ///< Everyone is one configured principal: `[auth] mode = "none"`.
  front_door,  ///< An access token of an `[auth.front_door.NAME]`, sent as a bearer token.
  issuer,      ///< An access token of an `[auth.issuer.NAME]`, sent as a bearer token.
  local_user,  ///< The user that started the gateway and uses its standard input.
  api_key,     ///< A key of `[auth.api_key.NAME]`, sent as a bearer token.
  socket,      ///< A connection to a `[socket.NAME]` that names its principals.
  certificate  ///< A certificate of an `[auth.certificate.NAME]`, proved in the TLS handshake.
};

/// The names in `auth` of an `[endpoint.NAME]`.
inline constexpr std::array<std::pair<std::string_view, CredentialKind>, 7> kCredentialKindNames{
    {{"api_key", CredentialKind::api_key},
     {"certificate", CredentialKind::certificate},
     {"configured", CredentialKind::configured},
     {"front_door", CredentialKind::front_door},
     {"issuer", CredentialKind::issuer},
     {"local_user", CredentialKind::local_user},
     {"socket", CredentialKind::socket}}};

/// The expiry of a credential that does not expire.
inline constexpr std::int64_t kNeverExpires = std::numeric_limits<std::int64_t>::max();

/// The credential of an authenticated caller, and its place, for later checks.
struct Credential {
  CredentialKind kind = CredentialKind::configured;
  std::string name = {};                  ///< Of a single configured credential, such as a key.
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of the shown value; zeros without one.
  /// Name of the endpoint where it was shown, as in `Credentials`.
  std::optional<std::string> endpoint = {};
  /// Seconds since 1970 from which on it is not valid.
  std::int64_t expires = kNeverExpires;
  /// For a token: a number that stands for its issuer's configuration at the time. If that changes,
  /// the token must be verified again.
  std::uint64_t terms = 0;
  /// Seconds since 1970 from which on a new request needs another question to its issuer. Earlier
  /// requests continue until `expires`.
  std::int64_t prove_again = kNeverExpires;
  /// For a token: `jti`, or the grant of a front door that it belongs to; empty without one.
  std::string token_id = {};

  bool operator==(const Credential&) const = default;
};

/// The facts in an access token beside its identity. Shared by all calls that it authenticated.
struct TokenFacts {
  std::vector<std::string> scopes;  ///< Sorted, each once.
  /// The actors for the principal, the present one first. For the record only.
  std::vector<std::string> actors;
  std::string id;  ///< `jti`; empty without one.
  /// For a token of a front door: all roles that a token with more scopes could have.
  std::vector<std::string> user_roles = {};
};
using TokenFactsPtr = std::shared_ptr<const TokenFacts>;

/// An authenticated caller, and its proof.
struct Authenticated {
  PrincipalPtr principal;
  /// For the record: `api_key:NAME`, `issuer:NAME`, `local_user`, `configured`, `gateway`.
  std::string proof;
  Credential credential{};
  TokenFactsPtr token = {};  ///< For an access token; null otherwise.
};

/// The proof in records of the gateway's own actions.
inline constexpr std::string_view kGatewayProof = "gateway";

/// The reason that a caller was not authenticated. This type never converts to a principal.
struct AuthenticationFailure {
  Reason reason = Reason::unauthenticated;
  std::string detail;  ///< Without any part of the credentials.
};

using Authentication = std::expected<Authenticated, AuthenticationFailure>;

}  // namespace bartizan
