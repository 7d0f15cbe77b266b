#include "gateway/identity/issuer_verifier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "gateway/identity/bearer_token.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/check_introspection.h"
#include "gateway/token/verify_signature.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr std::string_view kNotActive = "its issuer says that the token is not valid";
constexpr std::string_view kUnavailable = "the keys of the token's issuer are not available now";

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string_view detail) {
  return std::unexpected(AuthenticationFailure{reason, std::string(detail)});
}

std::unexpected<AuthenticationFailure> refuse(TokenFault fault) {
  const TokenFaultEntry& entry = entry_of(fault);
  return refuse(entry.is_expiry ? Reason::credentials_expired : Reason::credentials_invalid,
                entry.sentence);
}

/// The SHA-256 of the certificate that the peer proved to be its own.
std::optional<Hash> certificate_digest(const Credentials& credentials) {
  if (credentials.certificates.empty()) return std::nullopt;
  return Digester().sha256(credentials.certificates.front());
}

/// All settings of an issuer that affect identities, as one text.
std::string text_of(const IssuerConfig& issuer) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  };
  const auto add_all = [&add](const auto& parts) {
    add(std::to_string(parts.size()));
    for (const auto& part : parts)
      add(part);
  };
  const auto add_lists = [&](const auto& lists) {
    add(std::to_string(lists.size()));
    for (const auto& [name, values] : lists) {
      add(name);
      add_all(values);
    }
  };
  const auto add_maps = [&](const ClaimMap& map) {
    add(std::to_string(map.size()));
    for (const auto& [claim, values] : map) {
      add(claim);
      add_lists(values);
    }
  };
  add(issuer.issuer);
  add(issuer.introspection.has_value() ? issuer.introspection->client.id : "");
  add_all(issuer.audiences);
  add(issuer.audience_claim);
  add(issuer.jwks_url);
  add(issuer.jwks_file);
  for (const SignatureAlgorithm algorithm : issuer.algorithms)
    add(std::to_string(static_cast<int>(algorithm)));
  add_all(issuer.access_claims);
  add_lists(issuer.require);
  add(std::to_string(issuer.clock_skew.count()));
  add(std::to_string(issuer.max_lifetime.count()));
  add(issuer.principal);
  add_maps(issuer.roles);
  add_maps(issuer.permissions);
  for (const auto& [name, claim] : issuer.attributes) {
    add(name);
    add(claim);
  }
  return text;
}

std::uint64_t terms_of(const IssuerConfig& issuer) {
  const Hash digest = Digester().sha256(text_of(issuer));
  std::uint64_t terms = 0;
  std::memcpy(&terms, digest.data(), sizeof(terms));
  return terms;
}

}  // namespace

/// The rights of a token depend on the endpoint; a revocation applies everywhere.
struct IssuerVerifier::Digests {
  Hash token;
  Hash here;  ///< Of the token and the endpoint.
};

IssuerVerifier::Digests IssuerVerifier::digests_of(std::string_view token,
                                                   std::string_view endpoint) {
  Digester digester;
  const std::string_view revocable = revocable_part(token);
  const Hash digest = digester.sha256(revocable);
  const std::array<std::string_view, 4> shown{
      std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()),
      token.substr(revocable.size()), "\n", endpoint};
  return {.token = digest, .here = digester.sha256(shown)};
}

struct IssuerVerifier::Question {
  std::string token;
  const Issuer* issuer;
  IssuerConfig terms;  ///< Of the issuer, at the endpoint where the token was shown.
  Digests digests;
  std::optional<Hash> certificate;
};

struct IssuerVerifier::Case {
  SignedToken token;
  const Issuer* issuer;
  IssuerConfig terms;  ///< Of the issuer, at the endpoint where the token was shown.
  Digests digests;
  std::optional<Hash> certificate;
  std::int64_t now;
};

IssuerVerifier::IssuerVerifier(const std::vector<IssuerConfig>& issuers, VerifierParts parts)
    : parts_(std::move(parts)) {
  for (const IssuerConfig& issuer : issuers) {
    issuers_.push_back({.config = issuer,
                        .keys = parts_.issuer_keys->find_or_make(issuer),
                        .terms = terms_of(issuer),
                        .introspection = issuer.introspection.has_value()
                                             ? std::make_shared<Introspection>(issuer)
                                             : nullptr});
  }
}

bool IssuerVerifier::is_shown(const Credentials& credentials) const {
  if (!credentials.authorization.has_value()) return false;
  const auto token = bearer_token(*credentials.authorization);
  return token.has_value() &&
         (is_shaped_as_jwt(*token) ||
          (!is_shaped_as_own(*token) && introspecting_issuer_at(credentials) != nullptr));
}

const IssuerVerifier::Issuer* IssuerVerifier::find_issuer(std::string_view name) const {
  const auto found = std::ranges::find(
      issuers_, name, [](const Issuer& issuer) { return std::string_view(issuer.config.name); });
  return found == issuers_.end() ? nullptr : &*found;
}

/// The claimed issuer of the token, among those that the endpoint accepts.
const IssuerVerifier::Issuer* IssuerVerifier::issuer_of(const SignedToken& token,
                                                        const Credentials& credentials) const {
  const auto found = std::ranges::find_if(issuers_, [&](const Issuer& issuer) {
    return issuer.introspection == nullptr && issuer.config.issuer == token.issuer() &&
           accepts(issuer, credentials);
  });
  return found == issuers_.end() ? nullptr : &*found;
}

/// The issuer that is asked about tokens of no other issuer; the loader permits only one.
const IssuerVerifier::Issuer* IssuerVerifier::introspecting_issuer_at(
    const Credentials& credentials) const {
  const auto found = std::ranges::find_if(issuers_, [&](const Issuer& issuer) {
    return issuer.introspection != nullptr && accepts(issuer, credentials);
  });
  return found == issuers_.end() ? nullptr : &*found;
}

bool IssuerVerifier::accepts(const Issuer& issuer, const Credentials& credentials) const {
  return parts_.accepted->accepts({.kind = CredentialKind::issuer,
                                   .name = issuer.config.name,
                                   .endpoint = std::optional<std::string>(credentials.endpoint)});
}

/// The requirements for tokens of the issuer at that endpoint: they must not be for another one.
IssuerConfig IssuerVerifier::terms_at(const Issuer& issuer, const Credentials& credentials) const {
  IssuerConfig terms = issuer.config;
  std::erase_if(terms.audiences, [&](const std::string& audience) {
    return parts_.accepted->is_elsewhere(credentials.endpoint, audience);
  });
  return terms;
}

Proved IssuerVerifier::proved(const Issuer& issuer, const Hash& digest,
                              const std::shared_ptr<const TokenIdentity>& identity,
                              std::int64_t prove_again) {
  return Proved{
      .id = identity->principal,
      .claims = identity->claims,
      .proof = "issuer:" + issuer.config.name,
      .credential = {.kind = CredentialKind::issuer,
                     .name = issuer.config.name,
                     .digest = digest,
                     .expires = identity->expires,
                     .terms = issuer.terms,
                     .prove_again = prove_again,
                     .token_id = identity->token_id},
      .token = std::make_shared<const TokenFacts>(TokenFacts{
          .scopes = identity->scopes, .actors = identity->actors, .id = identity->token_id})};
}

/// The identity of a token that was verified before, if all conditions of that still hold.
/// Otherwise a failure without a reason.
Verification IssuerVerifier::find_known(const Digests& digests, const Credentials& credentials,
                                        std::int64_t now) const {
  const auto known = parts_.proved_tokens->find(digests.here, now);
  if (!known.has_value()) return refuse(Reason::none, "");
  if (known->identity == nullptr) {
    const Issuer* asked = introspecting_issuer_at(credentials);
    const bool is_answer = asked != nullptr && asked->terms == known->terms;
    return is_answer ? refuse(Reason::credentials_invalid, kNotActive) : refuse(Reason::none, "");
  }
  const Issuer* issuer = find_issuer(known->identity->issuer);
  if (issuer == nullptr || issuer->terms != known->terms) return refuse(Reason::none, "");
  if (issuer->introspection != nullptr) {
    const bool is_bound = known->identity->certificate.has_value();
    if (is_bound && known->identity->certificate != certificate_digest(credentials)) {
      return refuse(Reason::none, "");
    }
    return proved(*issuer, digests.token, known->identity, known->until);
  }
  const IssuerKeys::Known keys = issuer->keys->known(coarse_now());
  if (keys.keys == nullptr || keys.version != known->keys_version) {
    return refuse(Reason::none, "");
  }
  if (known->identity->certificate.has_value() &&
      known->identity->certificate != certificate_digest(credentials)) {
    return refuse(Reason::none, "");
  }
  return proved(*issuer, digests.token, known->identity);
}

std::expected<Proved, TokenFault> IssuerVerifier::judge(const Case& token,
                                                        const IssuerKeys::Known& keys) const {
  if (keys.keys == nullptr) return std::unexpected(TokenFault::unknown_key);
  const auto verified = verify_token(token.token, token.terms, keys.keys->keys);
  if (!verified.has_value()) return std::unexpected(verified.error());
  auto identity = check_access_token(*verified, token.now, token.certificate);
  if (!identity.has_value()) return std::unexpected(identity.error());
  auto shared = std::make_shared<const TokenIdentity>(*std::move(identity));
  parts_.proved_tokens->remember(
      token.digests.here,
      {.identity = shared, .keys_version = keys.version, .terms = token.issuer->terms});
  return proved(*token.issuer, token.digests.token, shared);
}

Task<Verification> IssuerVerifier::verify(Loop& loop, Credentials credentials,
                                          std::int64_t now) const {
  const auto text = bearer_token(credentials.authorization.value_or(""));
  if (!text.has_value()) return Task<Verification>::ready(refuse(TokenFault::empty));
  if (text->size() > kTokenBytesMax) {
    return Task<Verification>::ready(refuse(TokenFault::too_long));
  }
  const Digests digests = digests_of(*text, credentials.endpoint.value_or(""));
  Verification known = find_known(digests, credentials, now);
  if (known.has_value()) {
    const Issuer& issuer = *find_issuer(known->credential.name);
    if (issuer.introspection == nullptr) issuer.keys->keep_fresh(loop);
    return Task<Verification>::ready(std::move(known));
  }
  if (known.error().reason != Reason::none) return Task<Verification>::ready(std::move(known));
  auto token = SignedToken::read(*text);
  const Issuer* issuer = token.has_value() ? issuer_of(*token, credentials) : nullptr;
  const Issuer* asked = issuer == nullptr ? introspecting_issuer_at(credentials) : nullptr;
  if (asked != nullptr && !has_control_character(*text)) {
    return introspect(loop, std::make_unique<const Question>(
                                Question{.token = std::string(*text),
                                         .issuer = asked,
                                         .terms = terms_at(*asked, credentials),
                                         .digests = digests,
                                         .certificate = certificate_digest(credentials)}));
  }
  if (!token.has_value()) return Task<Verification>::ready(refuse(token.error()));
  if (issuer == nullptr) return Task<Verification>::ready(refuse(TokenFault::issuer_other));
  auto judged = std::make_unique<const Case>(Case{.token = *std::move(token),
                                                  .issuer = issuer,
                                                  .terms = terms_at(*issuer, credentials),
                                                  .digests = digests,
                                                  .certificate = certificate_digest(credentials),
                                                  .now = now});
  const IssuerKeys::Known keys = issuer->keys->known(coarse_now());
  // Also for refused tokens: a key may have been replaced under its id.
  if (keys.keys != nullptr) issuer->keys->keep_fresh(loop);
  auto verdict = judge(*judged, keys);
  if (verdict.has_value()) return Task<Verification>::ready(*std::move(verdict));
  // New keys may resolve that fault, and no other.
  if (verdict.error() == TokenFault::unknown_key) {
    return verify_later(loop, std::move(judged), keys.version);
  }
  return Task<Verification>::ready(refuse(verdict.error()));
}

Task<Verification> IssuerVerifier::verify_later(Loop& loop, std::unique_ptr<const Case> token,
                                                std::uint64_t version) const {
  const IssuerKeys::Known keys = co_await token->issuer->keys->refresh(loop, version);
  auto verdict = judge(*token, keys);
  if (verdict.has_value()) co_return *std::move(verdict);
  // The issuer may have a key that has not been fetched yet, so this is not a verdict on the token.
  const bool may_be_known = keys.keys == nullptr || !keys.was_asked;
  if (verdict.error() == TokenFault::unknown_key && may_be_known) {
    co_return refuse(Reason::issuer_unavailable, kUnavailable);
  }
  co_return refuse(verdict.error());
}

Task<Verification> IssuerVerifier::introspect(Loop& loop,
                                              std::unique_ptr<const Question> question) const {
  const Issuer& issuer = *question->issuer;
  const auto answer = co_await issuer.introspection->ask(loop, question->token, seconds_now());
  if (!answer.has_value()) {
    co_return refuse(Reason::issuer_unavailable, "the token's issuer cannot be asked about it: " +
                                                     std::string(answer.error().detail));
  }
  const std::int64_t now = seconds_now();
  const std::int64_t until = now + issuer.config.introspection->cache.count();
  if (!answer->is_active) {
    parts_.proved_tokens->remember(question->digests.here, {.terms = issuer.terms, .until = until});
    co_return refuse(Reason::credentials_invalid, kNotActive);
  }
  JsonDocument document;
  const Result<JsonValue> root = document.read(answer->json);
  if (!root.has_value()) co_return refuse(Reason::issuer_unavailable, kUnavailable);
  auto identity = check_introspection(*root, question->terms, now, question->certificate);
  if (!identity.has_value()) co_return refuse(identity.error());
  auto shared = std::make_shared<const TokenIdentity>(*std::move(identity));
  parts_.proved_tokens->remember(question->digests.here,
                                 {.identity = shared, .terms = issuer.terms, .until = until});
  co_return proved(issuer, question->digests.token, shared, until);
}

std::expected<void, AuthenticationFailure> IssuerVerifier::review(const Credential& credential,
                                                                  std::string_view /*principal*/,
                                                                  std::int64_t now) const {
  const Issuer* issuer = find_issuer(credential.name);
  if (issuer == nullptr) {
    return refuse(Reason::credentials_invalid, "tokens of its issuer are not accepted any more");
  }
  if (issuer->terms != credential.terms) {
    return refuse(Reason::credentials_invalid, "the issuer's settings have changed");
  }
  if (credential.expires <= now) return refuse(TokenFault::expired);
  return {};
}

VerifierPtr make_issuer_verifier(const AuthConfig& config, const VerifierParts& parts) {
  if (config.issuers.empty()) return nullptr;
  return std::make_unique<const IssuerVerifier>(config.issuers, parts);
}

}  // namespace bartizan
