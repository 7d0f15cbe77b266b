#include "gateway/identity/authenticate.h"

#include <openssl/crypto.h>

#include <utility>

#include "audit/digest.h"
#include "gateway/http/http_fields.h"

namespace bartizan {
namespace {

using Authentication = std::expected<Authenticated, AuthenticationFailure>;

/// Longer than any key that is given out, and short enough to hash for a stranger.
constexpr std::size_t kKeyBytesMax = 512;

Authentication refuse(Reason reason, std::string detail) {
  return std::unexpected(AuthenticationFailure{reason, std::move(detail)});
}

/// The token of `Bearer TOKEN`, the scheme in any letter case.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size()) return std::nullopt;
  if (!equal_ignoring_case(authorization.substr(0, scheme.size()), scheme)) return std::nullopt;
  const std::string_view token = authorization.substr(scheme.size());
  if (token.empty() || token.find(' ') != std::string_view::npos) return std::nullopt;
  return token;
}

}  // namespace

Authenticator::Authenticator(const AuthConfig& config)
    : mode_(config.mode),
      configured_principal_(config.principal),
      stdio_principal_(config.stdio_principal) {
  for (const ApiKeyConfig& key : config.api_keys) {
    if (const auto digest = parse_hex(key.sha256)) keys_.emplace(*digest, key);
  }
}

Authentication Authenticator::authenticate(const Policy& policy, const Credentials& credentials,
                                           std::int64_t now) const {
  // A token in a URL ends up in logs of every hop: whoever sends one must learn that at once.
  if (credentials.query.find("access_token=") != std::string_view::npos) {
    return refuse(Reason::credentials_invalid, "a token in the URL is never accepted");
  }
  if (mode_ == AuthConfig::Mode::none) {
    const Principal* principal = policy.find_principal(configured_principal_);
    if (principal == nullptr) return refuse(Reason::principal_unknown, "no such principal");
    return Authenticated{principal, "configured", {}};
  }
  if (!credentials.authorization.has_value()) {
    return refuse(Reason::unauthenticated, "no Authorization header");
  }
  const auto token = bearer_token(*credentials.authorization);
  if (!token.has_value() || token->size() > kKeyBytesMax) {
    return refuse(Reason::credentials_invalid, "the Authorization header is no bearer token");
  }
  const auto digest = Digester().sha256(*token);
  const auto found = keys_.find(digest);
  const bool equal =
      found != keys_.end() && CRYPTO_memcmp(found->first.data(), digest.data(), digest.size()) == 0;
  if (!equal) return refuse(Reason::credentials_invalid, "the key is not known");
  const ApiKeyConfig& key = found->second;
  if (key.expires.has_value() && now >= *key.expires) {
    return refuse(Reason::credentials_expired, "the key \"" + key.name + "\" has expired");
  }
  const Principal* principal = policy.find_principal(key.principal);
  if (principal == nullptr) return refuse(Reason::principal_unknown, "no such principal");
  return Authenticated{principal, "api_key:" + key.name, {Credential::Kind::key, digest}};
}

bool Authenticator::still_proves(const Credential& credential, std::string_view principal,
                                 std::int64_t now) const {
  if (credential.kind == Credential::Kind::local_user) {
    return !stdio_principal_.empty() && principal == stdio_principal_;
  }
  if (credential.kind == Credential::Kind::configured) {
    return mode_ == AuthConfig::Mode::none && principal == configured_principal_;
  }
  if (mode_ == AuthConfig::Mode::none) return false;
  const auto found = keys_.find(credential.digest);
  if (found == keys_.end() || found->second.principal != principal) return false;
  return !found->second.expires.has_value() || now < *found->second.expires;
}

}  // namespace bartizan
