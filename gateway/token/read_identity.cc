#include "gateway/token/read_identity.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "gateway/token/claim_values.h"
#include "gateway/token/map_claims.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

template <class T>
using Checked = std::expected<T, TokenFault>;

Checked<std::string> read_principal(JsonValue claims, const IssuerConfig& issuer) {
  const JsonValue subject = claims.find("sub");
  if (subject && !subject.is(JsonType::string)) {
    return std::unexpected(TokenFault::subject_malformed);
  }
  const JsonValue claim = find_claim(claims, issuer.principal);
  if (!claim) return std::unexpected(TokenFault::principal_missing);
  const bool is_plain =
      claim.is(JsonType::string) && !claim.text().empty() && !has_control_character(claim.text());
  if (!is_plain) return std::unexpected(TokenFault::principal_malformed);
  if (!is_identifier(claim)) return std::unexpected(TokenFault::principal_long);
  return fmt::format("{}:{}", issuer.name, claim.text());
}

/// The standard claim is `client_id`, OpenID Connect's `azp`, Okta's `cid`, and that of Entra's
/// first version `appid`.
Checked<std::string> read_client(JsonValue claims) {
  static constexpr std::array<std::string_view, 4> kNames{"client_id", "azp", "cid", "appid"};
  for (const std::string_view name : kNames) {
    const JsonValue client = claims.find(name);
    if (!client) continue;
    if (!is_identifier(client)) return std::unexpected(TokenFault::client_malformed);
    return std::string(client.text());
  }
  return "";
}

Checked<std::string> read_token_id(JsonValue claims) {
  const JsonValue id = claims.find("jti");
  if (id && !is_identifier(id)) return std::unexpected(TokenFault::token_id_malformed);
  return std::string(id.text());
}

/// The present actor, which contains the one before.
Checked<std::vector<std::string>> read_actors(JsonValue claims, const IssuerConfig& issuer) {
  std::vector<std::string> actors;
  for (JsonValue actor = claims.find("act"); actor; actor = actor.find("act")) {
    if (actors.size() == kActorsMax) return std::unexpected(TokenFault::actors_deep);
    const JsonValue subject = actor.find("sub");
    const JsonValue from = actor.find("iss");
    if (!is_identifier(subject) || (from && !is_identifier(from))) {
      return std::unexpected(TokenFault::actor_malformed);
    }
    const bool is_own = !from || from.text() == issuer.issuer;
    actors.push_back(
        fmt::format("{}:{}", is_own ? std::string_view(issuer.name) : from.text(), subject.text()));
  }
  return actors;
}

}  // namespace

Checked<TokenIdentity> read_identity(JsonValue claims, const IssuerConfig& issuer) {
  auto principal = read_principal(claims, issuer);
  if (!principal) return std::unexpected(principal.error());
  auto client = read_client(claims);
  if (!client) return std::unexpected(client.error());
  auto token_id = read_token_id(claims);
  if (!token_id) return std::unexpected(token_id.error());
  auto actors = read_actors(claims, issuer);
  if (!actors) return std::unexpected(actors.error());
  auto scopes = read_scopes(claims);
  if (!scopes) return std::unexpected(scopes.error());
  auto mapped = map_claims(claims, issuer);
  if (!mapped) return std::unexpected(mapped.error());
  return TokenIdentity{.principal = *std::move(principal),
                       .claims = std::make_shared<const Claims>(*std::move(mapped)),
                       .issuer = issuer.name,
                       .scopes = *std::move(scopes),
                       .actors = *std::move(actors),
                       .client = *std::move(client),
                       .token_id = *std::move(token_id)};
}

}  // namespace bartizan
