#include "gateway/front_door/provider.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "gateway/front_door/front_door_secrets.h"
#include "gateway/http/write_form.h"
#include "gateway/identity/client_proof.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/check_id_token.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;
constexpr JsonLimits kLimits{.bytes_max = std::size_t{128} << 10, .values_max = 8192};
constexpr std::string_view kByRefresh = "refresh:";
constexpr std::string_view kByAccess = "access:";
constexpr std::size_t kClaimsBytesMax = std::size_t{32} << 10;

std::unexpected<Error> unavailable(std::string detail) {
  return fail(ErrorCode::server_failed, Fault::server, std::move(detail));
}
std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::server, std::move(detail));
}

/// The top-level member that contains a claim.
std::string_view top_member(std::string_view claim) {
  if (!claim.starts_with('/')) return claim;
  claim.remove_prefix(1);
  return claim.substr(0, claim.find('/'));
}

std::set<std::string, std::less<>> mapped_members(const IssuerConfig& provider) {
  std::set<std::string, std::less<>> members{"sub", "_claim_names", "_claim_sources"};
  if (!provider.issuer.empty()) members.emplace("iss");
  const auto add = [&members](std::string_view claim) { members.emplace(top_member(claim)); };
  add(provider.principal);
  for (const ClaimMap* map : {&provider.roles, &provider.permissions}) {
    for (const auto& [claim, values] : *map)
      add(claim);
  }
  for (const auto& [name, claim] : provider.attributes)
    add(claim);
  for (const auto& [claim, values] : provider.require)
    add(claim);
  return members;
}

/// Whether an error says that a user's code or token is invalid or no longer valid. Other errors
/// may be temporary, or the gateway's fault, and must end no sign-in. GitHub has error codes of its
/// own.
bool is_about_user(std::string_view error) {
  return error == "invalid_grant" || error == "bad_refresh_token" ||
         error == "bad_verification_code";
}

std::string error_in(std::string_view body) {
  const Bytes bytes(body);
  JsonDocument json;
  const Result<JsonValue> root = json.read(bytes, kLimits);
  return root.has_value() ? std::string(root->find("error").text()) : std::string();
}

std::unexpected<Error> refused_by_provider(std::string_view error, int status) {
  if (is_about_user(error)) return refuse("the provider refuses the user's code or token");
  if (error == "invalid_client" || error == "unauthorized_client" ||
      error == "incorrect_client_credentials") {
    return unavailable("the provider does not know the gateway: see client_id and client_secret");
  }
  return unavailable("the provider answers with status " + std::to_string(status));
}

/// The claims that do not change over time.
std::string identity_of(std::string_view claims) {
  const Bytes bytes(claims);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kLimits);
  std::string json;
  for (const std::string_view name : {"iss", "sub"}) {
    const JsonValue claim = root.has_value() ? root->find(name) : JsonValue();
    if (!claim) continue;
    json += json.empty() ? '{' : ',';
    json += json_string(name) + ':' + std::string(claim.raw());
  }
  return json.empty() ? "{}" : json + "}";
}

/// Adds the issuer for a provider without OpenID Connect, which does not name itself. A grant
/// belongs to one provider.
std::string with_issuer(std::string_view claims, std::string_view issuer) {
  std::string json = R"({"iss":)" + json_string(issuer);
  if (claims != "{}") json += ',';
  return json.append(claims.substr(1));
}

}  // namespace

std::optional<std::string> select_claims(std::string_view id_token, std::string_view user,
                                         const IssuerConfig& provider) {
  const auto members = mapped_members(provider);
  std::set<std::string, std::less<>> taken;
  std::string subject;
  std::string json;
  for (const std::string_view text : {id_token, user}) {
    if (text.empty()) continue;
    const Bytes bytes(text);
    JsonDocument document;
    const Result<JsonValue> root = document.read(bytes, kLimits);
    if (!root.has_value() || !root->is(JsonType::object)) return std::nullopt;
    const std::string_view its_subject = root->find("sub").text();
    if (!subject.empty() && its_subject != subject) return std::nullopt;
    subject = its_subject;
    for (const JsonValue member : *root) {
      if (!members.contains(member.key()) || !taken.emplace(member.key()).second) continue;
      json += json.empty() ? '{' : ',';
      json += json_string(member.key());
      json += ':';
      json += member.raw();
    }
  }
  if (json.empty()) json = "{";
  json += '}';
  return json.size() > kClaimsBytesMax ? std::nullopt : std::optional(std::move(json));
}

Task<Result<Provider::MetadataPtr>> Provider::metadata() {
  const IssuerConfig& provider = door_.provider;
  // With a complete configuration, no metadata is fetched.
  const bool is_whole =
      provider.issuer.empty() || (!door_.authorize_url.empty() && !door_.token_url.empty());
  MetadataPtr known = sign_ins_.find_metadata(provider.issuer, seconds_now());
  if (known == nullptr && !is_whole) {
    Result<ProviderMetadata> fetched = co_await fetch_provider_metadata(loop_, provider);
    if (!fetched.has_value()) co_return std::unexpected(fetched.error());
    known = std::make_shared<const ProviderMetadata>(*std::move(fetched));
    sign_ins_.keep_metadata(provider.issuer, known, seconds_now());
  }
  ProviderMetadata all = known == nullptr ? ProviderMetadata() : *known;
  if (!door_.authorize_url.empty()) all.authorize_url = door_.authorize_url;
  if (!door_.token_url.empty()) all.token_url = door_.token_url;
  if (all.authorize_url.empty() || all.token_url.empty()) {
    co_return unavailable("the provider's metadata has no authorization or token endpoint");
  }
  co_return std::make_shared<const ProviderMetadata>(std::move(all));
}

Task<Result<std::string>> Provider::authorize_url(Begin begin) {
  const auto where = co_await metadata();
  if (!where.has_value()) co_return std::unexpected(where.error());
  std::string scopes;
  for (const std::string& scope : door_.provider_scopes)
    scopes.append(scopes.empty() ? "" : " ").append(scope);
  std::vector<std::pair<std::string_view, std::string>> fields{
      {"response_type", "code"},
      {"client_id", door_.client.id},
      {"redirect_uri", redirect_uri()},
      {"state", begin.state},
      {"code_challenge", pkce_challenge(begin.verifier)},
      {"code_challenge_method", "S256"}};
  if (!scopes.empty()) fields.emplace_back("scope", scopes);
  if (!door_.provider.issuer.empty()) fields.emplace_back("nonce", begin.nonce);
  co_return with_query((*where)->authorize_url, fields);
}

Task<Result<bool>> Provider::is_answer_of(std::optional<std::string> issuer) {
  // The callback's path belongs to one front door, and so to one provider.
  if (door_.provider.issuer.empty()) co_return true;
  if (issuer.has_value()) co_return *issuer == door_.provider.issuer;
  const auto where = co_await metadata();
  if (!where.has_value()) co_return std::unexpected(where.error());
  co_return !(*where)->sends_issuer;
}

Task<Result<Provider::Tokens>> Provider::ask_token(std::string form) {
  const auto where = co_await metadata();
  if (!where.has_value()) co_return std::unexpected(where.error());
  const std::string& audience =
      door_.provider.issuer.empty() ? (*where)->token_url : door_.provider.issuer;
  const Result<ProvedForm> proved =
      prove_client(door_.client, std::move(form), audience, seconds_now(), new_secret(random_));
  if (!proved.has_value()) co_return std::unexpected(proved.error());
  ProviderDocuments documents(loop_, door_.provider);
  const Result<FetchedDocument> document =
      co_await documents.post((*where)->token_url, proved->form, proved->authorization);
  if (!document.has_value()) co_return std::unexpected(document.error());
  if (document->status != kOk) {
    co_return refused_by_provider(error_in(document->body), document->status);
  }
  const Bytes bytes(document->body);
  JsonDocument json;
  const Result<JsonValue> root = json.read(bytes, kLimits);
  if (!root.has_value()) co_return unavailable("the provider's tokens are not strict JSON");
  // GitHub sends errors with status 200.
  if (root->find("error")) co_return refused_by_provider(root->find("error").text(), kOk);
  co_return Tokens{.id_token = std::string(root->find("id_token").text()),
                   .access_token = std::string(root->find("access_token").text()),
                   .refresh_token = std::string(root->find("refresh_token").text())};
}

Task<Result<std::string>> Provider::verify_id_token(std::string text, std::string nonce) {
  const auto token = SignedToken::read(text);
  if (!token.has_value()) co_return refuse("the provider's ID token cannot be read");
  const IssuerKeysPtr keys = sign_ins_.keys_of(door_.provider);
  IssuerKeys::Known known = keys->known(coarse_now());
  const auto verify = [&]() -> std::expected<VerifiedToken, TokenFault> {
    if (known.keys == nullptr) return std::unexpected(TokenFault::unknown_key);
    return verify_token(*token, door_.provider, known.keys->keys);
  };
  auto verified = verify();
  if (!verified.has_value() && verified.error() == TokenFault::unknown_key) {
    known = co_await keys->refresh(loop_, known.version);
    verified = verify();
    if (known.keys == nullptr) co_return unavailable("the provider's keys are not available now");
  }
  if (!verified.has_value()) {
    co_return refuse("the provider's ID token: " +
                     std::string(entry_of(verified.error()).sentence));
  }
  const auto checked = check_id_token(*verified, door_.client.id, nonce, seconds_now());
  if (!checked.has_value()) {
    co_return refuse("the provider's ID token: " + std::string(entry_of(checked.error()).sentence));
  }
  co_return std::string(token->claims().raw());
}

Task<Result<std::string>> Provider::ask_user(std::string access_token) {
  if (access_token.empty()) co_return refuse("the provider gave no access token");
  ProviderDocuments documents(loop_, door_.provider);
  const Result<FetchedDocument> document =
      co_await documents.get(door_.user_url, "Bearer " + access_token);
  if (!document.has_value()) co_return std::unexpected(document.error());
  if (document->status == kUnauthorized) co_return refuse("the provider refuses the user's token");
  if (document->status != kOk) co_return refused_by_provider("", document->status);
  co_return document->body;
}

Task<Result<ProviderUser>> Provider::read_user(Tokens tokens, std::string nonce,
                                               std::string before) {
  std::string id_claims = std::move(before);
  if (!tokens.id_token.empty() && !door_.provider.issuer.empty()) {
    const auto verified = co_await verify_id_token(tokens.id_token, std::move(nonce));
    if (!verified.has_value()) co_return std::unexpected(verified.error());
    // It must be the same user as before, if there was one (OpenID Connect Core 1.0 §12.2).
    if (!id_claims.empty() && identity_of(id_claims) != identity_of(*verified)) {
      co_return refuse("the provider's ID token is of another user");
    }
    id_claims = *verified;
  } else if (!door_.provider.issuer.empty() && id_claims.empty()) {
    co_return refuse("the provider sent no ID token");
  }
  std::string user;
  if (!door_.user_url.empty()) {
    Result<std::string> asked = co_await ask_user(tokens.access_token);
    if (!asked.has_value()) co_return std::unexpected(asked.error());
    user = *std::move(asked);
    // Earlier claims may no longer hold.
    if (tokens.id_token.empty()) id_claims = identity_of(id_claims);
  }
  auto claims = select_claims(door_.provider.issuer.empty() ? "" : id_claims, user, door_.provider);
  if (!claims.has_value()) {
    co_return refuse(
        "the provider's claims about the user are missing, too long, or about another user");
  }
  if (door_.provider.issuer.empty()) *claims = with_issuer(*claims, door_.token_url);
  std::string renewal;
  if (!tokens.refresh_token.empty()) {
    renewal = std::string(kByRefresh) + tokens.refresh_token;
  } else if (!door_.user_url.empty() && !tokens.access_token.empty()) {
    renewal = std::string(kByAccess) + tokens.access_token;
  }
  co_return ProviderUser{.claims = *std::move(claims), .renewal = std::move(renewal)};
}

Task<Result<ProviderUser>> Provider::exchange(std::string code, std::string verifier,
                                              std::string nonce) {
  std::string form;
  append_field(form, "grant_type", "authorization_code");
  append_field(form, "code", code);
  append_field(form, "redirect_uri", redirect_uri());
  append_field(form, "code_verifier", verifier);
  Result<Tokens> tokens = co_await ask_token(std::move(form));
  if (!tokens.has_value()) co_return std::unexpected(tokens.error());
  co_return co_await read_user(*std::move(tokens), std::move(nonce), "");
}

Task<Result<ProviderUser>> Provider::renew(std::string renewal, std::string claims) {
  Tokens tokens;
  if (renewal.starts_with(kByRefresh)) {
    std::string form;
    append_field(form, "grant_type", "refresh_token");
    append_field(form, "refresh_token", std::string_view(renewal).substr(kByRefresh.size()));
    Result<Tokens> asked = co_await ask_token(std::move(form));
    if (!asked.has_value()) co_return std::unexpected(asked.error());
    tokens = *std::move(asked);
    // A provider without rotation keeps this one valid.
    if (tokens.refresh_token.empty()) tokens.refresh_token = renewal.substr(kByRefresh.size());
  } else if (renewal.starts_with(kByAccess)) {
    tokens.access_token = renewal.substr(kByAccess.size());
  } else {
    co_return refuse("the provider gave no token to renew the sign-in with");
  }
  co_return co_await read_user(std::move(tokens), "", std::move(claims));
}

}  // namespace bartizan
