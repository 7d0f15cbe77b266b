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

/// All that a peer showed of who it is, as its transport received it. A way of proving looks at its
/// own part.
///
/// Lifetime: views; until what was asked about it has been answered.
struct Credentials {
  Transport transport = Transport::http;
  /// As the `Authorization` header has it: a scheme and what belongs to it.
  std::optional<std::string_view> authorization = {};
  /// Of a transport that has headers; null otherwise.
  const RequestHead* head = nullptr;
  /// `ip:port`, or `uid:N` of the process at the other end of a Unix socket, as the kernel has it.
  std::string_view peer = {};
  /// Name of the `[socket.NAME]` that it connected to; empty for none.
  std::string_view socket = {};
  /// Name of the endpoint that it came to; empty for that of `[listen] path`. Nothing where the
  /// transport has none.
  std::optional<std::string_view> endpoint = {};
  /// The certificates that the peer proved to be its own in the TLS handshake, verified, in DER,
  /// the peer's first; empty where it showed none.
  std::span<const std::string> certificates = {};
};

/// The ways of proving who calls. One is a row of `kCredentialKinds` and a `Verifier`.
enum class CredentialKind : std::uint8_t {
  configured,  ///< The configuration says that everyone is one principal: `[auth] mode = "none"`.
  front_door,  ///< An access token of an `[auth.front_door.NAME]`, shown as a bearer token.
  issuer,      ///< An access token of an `[auth.issuer.NAME]`, shown as a bearer token.
  local_user,  ///< Whoever started the gateway, and speaks over its standard input.
  api_key,     ///< A key of `[auth.api_key.NAME]`, shown as a bearer token.
  socket,      ///< Whoever connects to a `[socket.NAME]` that says who that is.
  certificate  ///< A certificate of an `[auth.certificate.NAME]`, proved in the TLS handshake.
};

/// As `auth` of an `[endpoint.NAME]` names them.
inline constexpr std::array<std::pair<std::string_view, CredentialKind>, 7> kCredentialKindNames{
    {{"api_key", CredentialKind::api_key},
     {"certificate", CredentialKind::certificate},
     {"configured", CredentialKind::configured},
     {"front_door", CredentialKind::front_door},
     {"issuer", CredentialKind::issuer},
     {"local_user", CredentialKind::local_user},
     {"socket", CredentialKind::socket}}};

/// Until when a credential holds that nothing ends.
inline constexpr std::int64_t kNeverExpires = std::numeric_limits<std::int64_t>::max();

/// What proved somebody, and where, to be asked about again.
struct Credential {
  CredentialKind kind = CredentialKind::configured;
  std::string name = {};  ///< Of the single one, where the configuration names several: of a key.
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of what was shown; zeros where nothing was.
  /// Name of the endpoint where it was shown, as in `Credentials`.
  std::optional<std::string> endpoint = {};
  /// Seconds since 1970 from which on it proves nothing any more.
  std::int64_t expires = kNeverExpires;
  /// Of a token: what the configuration said of its issuer when it was proved, as a number. Under
  /// other terms it has to be proved again.
  std::uint64_t terms = 0;
  /// Seconds since 1970 from which on its issuer has to be asked again before it proves anything to
  /// a new request. What it proved before goes on until `expires`.
  std::int64_t prove_again = kNeverExpires;
  /// Of a token: `jti`, or the grant of a front door that it belongs to; empty where it has none.
  std::string token_id = {};

  bool operator==(const Credential&) const = default;
};

/// What an access token says beside whom it names. Shared by all calls that it proved.
struct TokenFacts {
  std::vector<std::string> scopes;  ///< Sorted, each once.
  /// Who acts for the principal, the present one first. For the record only.
  std::vector<std::string> actors;
  std::string id;  ///< `jti`; empty where it has none.
  /// Of a token of a front door: all roles that one with more scopes could have.
  std::vector<std::string> user_roles = {};
};
using TokenFactsPtr = std::shared_ptr<const TokenFacts>;

/// Who was proved, and how.
struct Authenticated {
  PrincipalPtr principal;
  /// For the record: `api_key:NAME`, `issuer:NAME`, `local_user`, `configured`, `gateway`.
  std::string proof;
  Credential credential{};
  TokenFactsPtr token = {};  ///< Of an access token; null otherwise.
};

/// How the record says that the gateway acts by itself.
inline constexpr std::string_view kGatewayProof = "gateway";

/// Why nobody was proved. No value of this type turns into a principal.
struct AuthenticationFailure {
  Reason reason = Reason::unauthenticated;
  std::string detail;  ///< Without anything that was shown.
};

using Authentication = std::expected<Authenticated, AuthenticationFailure>;

}  // namespace bartizan
