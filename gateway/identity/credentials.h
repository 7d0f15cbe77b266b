#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
  /// The path that it came to; empty where the transport has none.
  std::string_view endpoint = {};
  /// The certificates that the peer proved to be its own in the TLS handshake, verified, in DER,
  /// the peer's first; empty where it showed none.
  std::span<const std::string> certificates = {};
};

/// The ways of proving who calls. One is a row of `kCredentialKinds` and a `Verifier`.
enum class CredentialKind : std::uint8_t {
  configured,  ///< The configuration says that everyone is one principal: `[auth] mode = "none"`.
  local_user,  ///< Whoever started the gateway, and speaks over its standard input.
  api_key      ///< A key of `[auth.api_key.NAME]`, shown as a bearer token.
};

/// What proved somebody, to be asked about again.
struct Credential {
  CredentialKind kind = CredentialKind::configured;
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of what was shown; zeros where nothing was.

  bool operator==(const Credential&) const = default;
};

/// Who was proved, and how.
struct Authenticated {
  PrincipalPtr principal;
  std::string proof;  ///< For the record: `api_key:NAME`, `local_user`, `configured`, `gateway`.
  Credential credential{};
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
