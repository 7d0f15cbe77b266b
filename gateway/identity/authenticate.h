#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "policy/check/compile_policy.h"
#include "policy/verdict/reason.h"

namespace bartizan {

/// Everything that a peer shows to prove who it is.
struct Credentials {
  std::optional<std::string_view> authorization;  ///< The header's value.
  std::string_view query;                         ///< Refused if it carries a token.
  std::string_view peer;
};

/// What proved somebody, to be asked about again.
struct Credential {
  /// `configured`: the configuration names everyone (`mode = "none"`). `local_user`: whoever
  /// started the process speaks over its standard input. Neither has shown anything.
  enum class Kind : std::uint8_t { configured, local_user, key } kind = Kind::configured;
  std::array<std::uint8_t, 32> digest{};  ///< SHA-256 of the key.
};

/// Who was proved, and how: `api_key:NAME`, `configured`.
struct Authenticated {
  const Principal* principal = nullptr;
  std::string proof;
  Credential credential{};
};

/// Why nobody was proved. No value of this type turns into a principal.
struct AuthenticationFailure {
  Reason reason = Reason::unauthenticated;
  std::string detail;
};

/// The ways of proving that the configuration allows, ready for look-up.
class Authenticator {
 public:
  explicit Authenticator(const AuthConfig& config);

  /// Proves who calls, for each request anew.
  ///
  /// Input:   credentials as the transport received them; `now` in seconds since 1970.
  /// Errors:  unauthenticated (none shown, or in a place where they must not be),
  ///          credentials_invalid, credentials_expired, principal_unknown.
  /// Cost:    one SHA-256 of the key. A key is looked up by its digest, which tells a watch on
  ///          the clock nothing about keys, and compared in constant time.
  /// Source:  MCP 2026-07-28, basic/authorization, "Access Token Usage"; RFC 6750 §2.1, §2.3.
  std::expected<Authenticated, AuthenticationFailure> authenticate(const Policy& policy,
                                                                   const Credentials& credentials,
                                                                   std::int64_t now) const;

  /// Whether what once proved `principal` still would, at `now`: false for a key that was removed,
  /// given to somebody else, or has expired, and for who showed none where one is needed now.
  bool still_proves(const Credential& credential, std::string_view principal,
                    std::int64_t now) const;

 private:
  AuthConfig::Mode mode_;
  std::string configured_principal_;
  std::string stdio_principal_;
  std::map<std::array<std::uint8_t, 32>, ApiKeyConfig> keys_;
};

}  // namespace bartizan
