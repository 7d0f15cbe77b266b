#include "gateway/identity/api_key.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "audit/digest.h"
#include "gateway/identity/bearer_token.h"

namespace bartizan {
namespace {

/// Longer than any issued key, and short enough to hash for an unknown sender.
constexpr std::size_t kKeyBytesMax = 512;

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string detail) {
  return std::unexpected(AuthenticationFailure{reason, std::move(detail)});
}

std::unexpected<AuthenticationFailure> refuse_expired(const ApiKeyConfig& key) {
  return refuse(Reason::credentials_expired, "the key \"" + key.name + "\" has expired");
}

bool is_expired(const ApiKeyConfig& key, std::int64_t now) {
  return key.expires.has_value() && now >= *key.expires;
}

}  // namespace

ApiKeyVerifier::ApiKeyVerifier(const AuthConfig& config, const VerifierParts& parts)
    : leaves_tokens_(!config.issuers.empty()), accepted_(parts.accepted) {
  for (const IssuerConfig& issuer : config.issuers) {
    if (issuer.introspection.has_value()) introspecting_.push_back(issuer.name);
  }
  for (const ApiKeyConfig& key : config.api_keys) {
    if (const auto digest = parse_hex(key.sha256)) keys_.emplace(*digest, key);
  }
}

bool ApiKeyVerifier::is_shown(const Credentials& credentials) const {
  if (!credentials.authorization.has_value()) return false;
  if (!leaves_tokens_) return true;
  const auto token = bearer_token(*credentials.authorization);
  return !token.has_value() || !is_of_others(credentials, *token) ||
         keys_.contains(Digester().sha256(*token));
}

/// Whether a token that is not a key may be one of an issuer that the endpoint accepts.
bool ApiKeyVerifier::is_of_others(const Credentials& credentials, std::string_view token) const {
  if (is_shaped_as_jwt(token)) return true;
  if (is_shaped_as_own(token)) return false;
  return std::ranges::any_of(introspecting_, [&](const std::string& issuer) {
    return accepted_->accepts({.kind = CredentialKind::issuer,
                               .name = issuer,
                               .endpoint = std::optional<std::string>(credentials.endpoint)});
  });
}

Verification ApiKeyVerifier::find(const Credentials& credentials, std::int64_t now) const {
  const auto token = bearer_token(credentials.authorization.value_or(""));
  if (!token.has_value() || token->size() > kKeyBytesMax) {
    return refuse(Reason::credentials_invalid, "the Authorization header is not a bearer token");
  }
  const auto digest = Digester().sha256(*token);
  const auto found = keys_.find(digest);
  const bool equal =
      found != keys_.end() && CRYPTO_memcmp(found->first.data(), digest.data(), digest.size()) == 0;
  if (!equal) return refuse(Reason::credentials_invalid, "the key is not known");
  const ApiKeyConfig& key = found->second;
  if (is_expired(key, now)) return refuse_expired(key);
  return Proved{.id = key.principal,
                .claims = {},
                .proof = "api_key:" + key.name,
                .credential = {.kind = CredentialKind::api_key,
                               .name = key.name,
                               .digest = digest,
                               .expires = key.expires.value_or(kNeverExpires)}};
}

Task<Verification> ApiKeyVerifier::verify(Loop& /*loop*/, Credentials credentials,
                                          std::int64_t now) const {
  return Task<Verification>::ready(find(credentials, now));
}

std::expected<void, AuthenticationFailure> ApiKeyVerifier::review(const Credential& credential,
                                                                  std::string_view principal,
                                                                  std::int64_t now) const {
  const auto found = keys_.find(credential.digest);
  if (found == keys_.end()) return refuse(Reason::credentials_invalid, "the key was removed");
  if (found->second.principal != principal) {
    return refuse(Reason::credentials_invalid, "the key is another principal's now");
  }
  if (is_expired(found->second, now)) return refuse_expired(found->second);
  return {};
}

VerifierPtr make_api_key_verifier(const AuthConfig& config, const VerifierParts& parts) {
  if (config.mode == AuthConfig::Mode::none) return nullptr;
  return std::make_unique<const ApiKeyVerifier>(config, parts);
}

}  // namespace bartizan
