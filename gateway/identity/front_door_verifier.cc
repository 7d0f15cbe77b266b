#include "gateway/identity/front_door_verifier.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gateway/identity/bearer_token.h"
#include "gateway/identity/grant_notes.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/random.h"
#include "gateway/token/check_claims.h"
#include "gateway/token/read_identity.h"

namespace bartizan {
namespace {

constexpr std::size_t kAccessTokenBytesMax = 128;
constexpr std::string_view kNotKnown = "the token is not known, or its grant has ended";

std::unexpected<AuthenticationFailure> refuse(Reason reason, std::string_view detail) {
  return std::unexpected(AuthenticationFailure{reason, std::string(detail)});
}

/// The digest of a token and the endpoint where it is shown.
Hash digest_at(const Hash& token, std::string_view endpoint) {
  const std::array<std::string_view, 2> shown{
      std::string_view(reinterpret_cast<const char*>(token.data()), token.size()), endpoint};
  return Digester().sha256(shown);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::ranges::sort(words);
  return words;
}

/// The part of a user's claims that a token with these scopes may have.
Claims narrowed(const Claims& claims, const FrontDoorConfig& door,
                const std::vector<std::string>& scopes) {
  Claims narrow = claims;
  const auto is_granted = [&](const std::string& role) {
    return std::ranges::any_of(scopes, [&](const std::string& scope) {
      const auto found = door.scopes.find(scope);
      return found != door.scopes.end() &&
             std::ranges::find(found->second, role) != found->second.end();
    });
  };
  std::erase_if(narrow.roles, [&](const std::string& role) { return !is_granted(role); });
  // A scope gives roles. Permissions beyond roles are in no scope.
  narrow.permissions.clear();
  return narrow;
}

}  // namespace

std::uint64_t front_door_terms(const FrontDoorConfig& door) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  };
  const auto add_lists = [&add](const auto& lists) {
    add(std::to_string(lists.size()));
    for (const auto& [name, values] : lists) {
      add(name);
      add(std::to_string(values.size()));
      for (const std::string& value : values)
        add(value);
    }
  };
  add(door.issuer);
  add(door.provider.issuer);
  add(door.client.id);
  add(door.provider.principal);
  add_lists(door.scopes);
  add_lists(door.provider.require);
  for (const ClaimMap* map : {&door.provider.roles, &door.provider.permissions}) {
    add(std::to_string(map->size()));
    for (const auto& [claim, values] : *map) {
      add(claim);
      add_lists(values);
    }
  }
  for (const auto& [name, claim] : door.provider.attributes) {
    add(name);
    add(claim);
  }
  const Hash digest = Digester().sha256(text);
  std::uint64_t terms = 0;
  std::memcpy(&terms, digest.data(), sizeof(terms));
  return terms;
}

bool lacks_scopes(const FrontDoorConfig& door, const Grant& grant) {
  return !door.scopes.empty() && grant.scopes.empty();
}

std::expected<TokenIdentity, TokenFault> read_grant(const FrontDoorConfig& door,
                                                    const Grant& grant) {
  const Bytes bytes(grant.claims);
  JsonDocument document;
  const Result<JsonValue> claims = document.read(bytes);
  if (!claims.has_value()) return std::unexpected(TokenFault::claims_json);
  // A user of that name at another provider is somebody else.
  const std::string& issuer = door.provider.issuer.empty() ? door.token_url : door.provider.issuer;
  if (claims->find("iss").text() != issuer) return std::unexpected(TokenFault::issuer_other);
  const auto requirements = check_requirements(*claims, door.provider);
  if (!requirements) return std::unexpected(requirements.error());
  auto identity = read_identity(*claims, door.provider);
  if (!identity) return identity;
  identity->scopes = words_of(grant.scopes);
  identity->client = grant.client;
  identity->token_id = grant.id;
  identity->actors.clear();
  return identity;
}

FrontDoorVerifier::FrontDoorVerifier(std::vector<FrontDoorConfig> doors, VerifierParts parts)
    : parts_(std::move(parts)) {
  for (FrontDoorConfig& door : doors) {
    const std::uint64_t terms = front_door_terms(door);
    doors_.push_back({std::move(door), terms});
  }
}

bool FrontDoorVerifier::is_shown(const Credentials& credentials) const {
  const auto token = bearer_token(credentials.authorization.value_or(""));
  return token.has_value() && token->starts_with(kAccessTokenPrefix);
}

const FrontDoorVerifier::Door* FrontDoorVerifier::find_door(std::string_view name) const {
  const auto found =
      std::ranges::find_if(doors_, [name](const Door& door) { return door.config.name == name; });
  return found == doors_.end() ? nullptr : &*found;
}

Proved FrontDoorVerifier::proved(const Door& door, const Hash& digest,
                                 const std::shared_ptr<const TokenIdentity>& identity) const {
  ClaimsPtr claims = identity->claims;
  if (!door.config.scopes.empty()) {
    claims = std::make_shared<const Claims>(narrowed(*claims, door.config, identity->scopes));
  }
  return Proved{.id = identity->principal,
                .claims = std::move(claims),
                .proof = "front_door:" + door.config.name,
                .credential = {.kind = CredentialKind::front_door,
                               .name = door.config.name,
                               .digest = digest,
                               .expires = identity->expires,
                               .terms = door.terms,
                               .token_id = identity->token_id},
                .token = std::make_shared<const TokenFacts>(
                    TokenFacts{.scopes = identity->scopes,
                               .actors = {},
                               .id = identity->token_id,
                               .user_roles = identity->claims->roles})};
}

Verification FrontDoorVerifier::find_known(const Digests& digests, std::int64_t now) const {
  const auto known = parts_.proved_tokens->find(digests.here, now);
  if (!known.has_value() || known->identity == nullptr) return refuse(Reason::none, "");
  const Door* door = find_door(known->identity->issuer);
  if (door == nullptr || door->terms != known->terms) return refuse(Reason::none, "");
  if (parts_.grant_notes->has_ended(known->identity->token_id)) {
    return refuse(Reason::credentials_invalid, kNotKnown);
  }
  return proved(*door, digests.token, known->identity);
}

Task<Verification> FrontDoorVerifier::verify(Loop& loop, Credentials credentials,
                                             std::int64_t now) const {
  const auto token = bearer_token(credentials.authorization.value_or(""));
  if (!token.has_value() || token->size() > kAccessTokenBytesMax) {
    return Task<Verification>::ready(refuse(Reason::credentials_invalid, kNotKnown));
  }
  // The rights of a token depend on the endpoint.
  const std::string_view endpoint = credentials.endpoint.value_or("");
  const Hash digest = Digester().sha256(*token);
  Verification known = find_known({.token = digest, .here = digest_at(digest, endpoint)}, now);
  if (known.has_value() || known.error().reason != Reason::none) {
    return Task<Verification>::ready(std::move(known));
  }
  return look_up(loop, digest, std::string(endpoint), now);
}

Task<Verification> FrontDoorVerifier::look_up(Loop& loop, Hash digest, std::string endpoint,
                                              std::int64_t now) const {
  Grants grants(*parts_.store);
  const auto found = co_await grants.find_access(loop, KeyedDigest::hex(digest), now);
  if (!found.has_value()) {
    co_return refuse(Reason::issuer_unavailable, "the state file cannot be asked about the token");
  }
  if (!found->has_value()) co_return refuse(Reason::credentials_invalid, kNotKnown);
  co_return judge(**found, {.token = digest, .here = digest_at(digest, endpoint)}, endpoint);
}

Verification FrontDoorVerifier::judge(const Grants::Found& found, const Digests& digests,
                                      std::string_view endpoint) const {
  const Door* door = find_door(found.grant.door);
  if (door == nullptr) {
    return refuse(Reason::credentials_invalid, "the token is of a front door that is gone");
  }
  // Some endpoint has that resource, and it is this one.
  const bool is_of_any = parts_.accepted->is_elsewhere(std::nullopt, found.grant.resource);
  if (!is_of_any || parts_.accepted->is_elsewhere(endpoint, found.grant.resource)) {
    return refuse(Reason::credentials_invalid, "the token is for another endpoint");
  }
  if (lacks_scopes(door->config, found.grant)) {
    return refuse(Reason::credentials_invalid, "the sign-in is older than the front door's scopes");
  }
  auto identity = read_grant(door->config, found.grant);
  if (!identity.has_value()) {
    return refuse(Reason::credentials_invalid, entry_of(identity.error()).sentence);
  }
  // The configuration may use another claim for names now.
  if (identity->principal != found.grant.principal) {
    return refuse(Reason::credentials_invalid, "the token's user has another name now");
  }
  identity->expires = std::min(found.access_ends, found.grant.ends);
  auto shared = std::make_shared<const TokenIdentity>(*std::move(identity));
  parts_.proved_tokens->remember(digests.here, {.identity = shared, .terms = door->terms});
  // It may have ended during the look-up.
  if (parts_.grant_notes->has_ended(shared->token_id)) {
    return refuse(Reason::credentials_invalid, kNotKnown);
  }
  return proved(*door, digests.token, shared);
}

std::expected<void, AuthenticationFailure> FrontDoorVerifier::review(const Credential& credential,
                                                                     std::string_view /*principal*/,
                                                                     std::int64_t now) const {
  const Door* door = find_door(credential.name);
  if (door == nullptr || door->terms != credential.terms) {
    return refuse(Reason::credentials_invalid, "the front door is not what it was");
  }
  if (parts_.grant_notes->has_ended(credential.token_id)) {
    return refuse(Reason::credentials_invalid, kNotKnown);
  }
  if (credential.expires <= now) {
    return refuse(Reason::credentials_expired, "the token has expired");
  }
  return {};
}

VerifierPtr make_front_door_verifier(const AuthConfig& config, const VerifierParts& parts) {
  if (config.front_doors.empty() || parts.store == nullptr || parts.grant_notes == nullptr) {
    return nullptr;
  }
  return std::make_unique<const FrontDoorVerifier>(config.front_doors, parts);
}

}  // namespace bartizan
