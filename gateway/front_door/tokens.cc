// The endpoints for clients: tokens for a code, refreshed tokens, revocation, and registration.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gateway/front_door/front_door.h"
#include "gateway/front_door/front_door_answers.h"
#include "gateway/front_door/front_door_secrets.h"
#include "gateway/front_door/provider.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/sealed_text.h"
#include "schemas/base/same_secret.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// The prefix of the ids of clients that registered themselves.
constexpr std::string_view kRegisteredPrefix = "btzd_";

FrontDoorAnswer json_answer(std::string json, int status = 200) {
  return {.status = status, .body = std::move(json), .headers = {{"Cache-Control", "no-store"}}};
}

bool has_type(const RequestHead& head, std::string_view wanted) {
  const std::string_view type = head.find(KnownHeader::content_type).value_or("");
  return equal_ignoring_case(type.substr(0, std::min(type.find(';'), type.size())), wanted);
}

/// Whether the requested scopes are granted already. Scopes that the front door does not have are
/// ignored, as at the sign-in.
bool is_part_of(std::string_view asked, std::string_view granted, const FrontDoorConfig& door) {
  const std::string all = " " + std::string(granted) + " ";
  while (!asked.empty()) {
    const std::size_t end = std::min(asked.find(' '), asked.size());
    const std::string scope(asked.substr(0, end));
    if (door.scopes.contains(scope) && !all.contains(" " + scope + " ")) return false;
    asked.remove_prefix(std::min(end + 1, asked.size()));
  }
  return true;
}

/// Whether a client of that id could sign a user in now.
bool is_client_allowed(const FrontDoorConfig& door, const std::string& id) {
  if (id.starts_with(kRegisteredPrefix)) return door.registration;
  const auto known = std::ranges::find(door.clients, id, &FrontDoorClientConfig::id);
  if (known != door.clients.end()) return true;
  return door.metadata_documents && is_document_url(id, door.private_networks);
}

}  // namespace

FrontDoorAnswer FrontDoor::refuse(std::string_view error, std::string description, Reason reason,
                                  int status) const {
  FrontDoorAnswer answer =
      json_answer(R"({"error":)" + json_string(error) + R"(,"error_description":)" +
                      json_string(description) + "}",
                  status);
  if (status == 503) answer.headers.emplace_back("Retry-After", "1");
  answer.reason = reason;
  answer.detail = std::move(description);
  return answer;
}

FrontDoorAnswer FrontDoor::unavailable(std::string_view what) const {
  return refuse("temporarily_unavailable", std::string(what), Reason::issuer_unavailable, 503);
}

FrontDoorAnswer FrontDoor::give(const Grant& grant, const std::string& access,
                                const std::string& refresh) const {
  std::string json =
      R"({"access_token":)" + json_string(access) + R"(,"token_type":"Bearer","expires_in":)" +
      std::to_string(std::min(door_.access_token_lifetime.count(), grant.ends - now_));
  if (!refresh.empty()) json += R"(,"refresh_token":)" + json_string(refresh);
  if (!grant.scopes.empty()) json += R"(,"scope":)" + json_string(grant.scopes);
  return json_answer(json + "}");
}

Task<FrontDoorAnswer> FrontDoor::token() {
  if (!has_type(request_.head, "application/x-www-form-urlencoded")) {
    co_return refuse("invalid_request", "a form is due", Reason::http_unsupported_media_type, 415);
  }
  Result<Form> form = co_await read_form_body();
  if (!form.has_value()) {
    co_return refuse("invalid_request", std::string(form.error().detail), Reason::http_malformed);
  }
  if (request_.head.has(KnownHeader::authorization)) {
    co_return refuse("invalid_client", "clients have no secret here: send client_id in the form",
                     Reason::sign_in_refused, 401);
  }
  const std::string grant_type = value_of(*form, "grant_type");
  if (grant_type == "authorization_code") co_return co_await exchange_code(*std::move(form));
  if (grant_type == "refresh_token") co_return co_await refresh(*std::move(form));
  co_return refuse("unsupported_grant_type",
                   "\"grant_type\" is \"authorization_code\" or \"refresh_token\"");
}

Task<FrontDoorAnswer> FrontDoor::exchange_code(Form form) {
  const std::string code = value_of(form, "code");
  Grants grants(store_);
  auto used = co_await grants.use_code(worker_.loop, secret_digest(code), now_);
  if (!used.has_value()) co_return unavailable("the state file cannot be asked now");
  Grant& grant = used->grant;
  if (used->kind == UsedCode::Kind::again) {
    co_await note_end(grant, "its code was used twice");
    co_return refuse("invalid_grant", "the code was used before: its tokens have ended",
                     Reason::grant_replayed);
  }
  if (used->kind == UsedCode::Kind::unknown || grant.door != door_.name) {
    co_return refuse("invalid_grant", "the code is not known, or its time is over");
  }
  std::string_view flaw;
  const auto resource = form.find("resource");
  const EndpointConfig* endpoint = find_endpoint(grant.resource);
  if (value_of(form, "client_id") != grant.client) flaw = "the code is another client's";
  if (value_of(form, "redirect_uri") != used->code.redirect) flaw = "another redirect_uri";
  if (!is_pkce_verifier(value_of(form, "code_verifier"), used->code.challenge)) {
    flaw = "the code_verifier is not that of the challenge";
  }
  if (endpoint == nullptr || (resource.has_value() && find_endpoint(*resource) != endpoint)) {
    flaw = "another resource";
  }
  if (!flaw.empty()) {
    // A code without the rest may be stolen, so the grant ends for everybody.
    co_await end_grant(grant, "its code was shown wrongly: " + std::string(flaw));
    co_return refuse("invalid_grant", std::string(flaw));
  }
  const std::string access = std::string(kAccessTokenPrefix) + new_secret(worker_.random);
  GrantTokens tokens{.access = secret_digest(access),
                     .access_ends = now_ + door_.access_token_lifetime.count()};
  std::string refresh;
  const auto renewal = open_sealed_text(SealedFor::provider_token, grant.provider_token, "", code);
  if (renewal.has_value()) {
    const RefreshToken made = new_refresh_token(grant.id, grant.refresh_key, worker_.random);
    refresh = made.text();
    tokens.refresh = secret_digest(refresh);
    tokens.provider_token =
        seal_text(SealedFor::provider_token, *renewal, "", made.secret, worker_.random);
  }
  const Result<bool> kept = co_await grants.add_tokens(worker_.loop, grant.id, tokens, now_);
  if (!kept.has_value()) co_return unavailable("the state file cannot be asked now");
  if (!*kept) co_return refuse("invalid_grant", "the sign-in has ended meanwhile");
  co_return give(grant, access, refresh);
}

Task<FrontDoorAnswer> FrontDoor::refresh(Form form) {
  const std::string text = value_of(form, "refresh_token");
  const auto token = RefreshToken::read(text);
  if (!token.has_value()) co_return refuse("invalid_grant", "that is not a refresh token");
  const std::string digest = secret_digest(text);
  // Two concurrent refreshes of one client are kept apart: the second must retry, and is not a
  // theft.
  const SignIns::Refreshing refreshing(sign_ins_, token->grant);
  if (refreshing.is_second()) {
    sign_ins_.note_retry(digest, now_);
    co_return unavailable("a refresh of this sign-in is under way");
  }
  auto found = co_await Grants(store_).find(worker_.loop, token->grant, now_);
  if (!found.has_value()) co_return unavailable("the state file cannot be asked now");
  if (!found->has_value() || (*found)->door != door_.name ||
      !token->is_made_with((*found)->refresh_key) ||
      value_of(form, "client_id") != (*found)->client) {
    co_return refuse("invalid_grant", "the refresh token is not known, or its sign-in has ended");
  }
  Grant grant = **std::move(found);
  if (!is_same_secret(digest, grant.refresh)) {
    if (sign_ins_.is_retry(digest, now_)) {
      co_return refuse("invalid_grant", "another refresh has replaced the token: read it again");
    }
    co_await end_grant(grant, "a refresh token was used twice");
    co_return refuse("invalid_grant", "the refresh token was used before: its tokens have ended",
                     Reason::grant_replayed);
  }
  if (!is_client_allowed(door_, grant.client)) {
    co_await end_grant(grant, "its client is not let in any more");
    co_return refuse("invalid_grant", "the client is not let in any more");
  }
  const auto resource = form.find("resource");
  const EndpointConfig* endpoint = find_endpoint(grant.resource);
  if (endpoint == nullptr || (resource.has_value() && find_endpoint(*resource) != endpoint)) {
    co_return refuse("invalid_target", "the sign-in was for another resource");
  }
  if (!is_part_of(form.find("scope").value_or(""), grant.scopes, door_)) {
    co_return refuse("invalid_scope", "more scopes than the sign-in has: sign in for them");
  }
  // Some clients refresh after a request for more scopes, which does not add any. They begin a
  // sign-in with these scopes if the response says that a user is needed.
  if (sign_ins_.notes().take_step_up(grant.id, now_)) {
    co_return refuse("interaction_required", "a call needed more scopes: sign in for them",
                     Reason::none);
  }
  co_return co_await renew(std::move(grant), token->secret);
}

/// Issues new tokens, if the provider still knows the user. Input: the secret of the refresh token.
Task<FrontDoorAnswer> FrontDoor::renew(Grant grant, std::string secret) {
  if (is_kept_out(grant)) {
    co_return refuse("invalid_grant", "an operator revoked or blocked the user", Reason::revoked);
  }
  // Before the provider is asked: a new provider must not get the token of the previous one.
  if (lacks_scopes(door_, grant) || !read_grant(door_, grant).has_value()) {
    co_await end_grant(grant, "the front door lets in others now");
    co_return refuse("invalid_grant", "the sign-in is not accepted any more: sign in again");
  }
  const auto renewal =
      open_sealed_text(SealedFor::provider_token, grant.provider_token, "", secret);
  if (!renewal.has_value()) {
    co_await end_grant(grant, "what the provider is asked by cannot be read");
    co_return refuse("invalid_grant", "the sign-in cannot be renewed: sign in again");
  }
  Provider provider(worker_.loop, sign_ins_, door_, worker_.random);
  Result<ProviderUser> user = co_await provider.renew(*renewal, grant.claims);
  if (!user.has_value() && user.error().code != ErrorCode::invalid_params) {
    co_return unavailable("the provider cannot be asked now: " + std::string(user.error().detail));
  }
  Grant renewed = grant;
  if (user.has_value()) renewed.claims = user->claims;
  const auto identity = read_grant(door_, renewed);
  const bool is_same_user =
      user.has_value() && identity.has_value() && identity->principal == grant.principal;
  if (!is_same_user) {
    co_await end_grant(grant, user.has_value() ? "the provider names another user, or one that "
                                                 "is not let in any more"
                                               : "the provider does not renew it");
    co_return refuse("invalid_grant", "the provider does not renew the sign-in: sign in again");
  }
  now_ = seconds_now();
  const std::string access = std::string(kAccessTokenPrefix) + new_secret(worker_.random);
  const RefreshToken next = new_refresh_token(grant.id, grant.refresh_key, worker_.random);
  const Result<bool> rotated = co_await Grants(store_).rotate(
      worker_.loop, renewed,
      {.access = secret_digest(access),
       .access_ends = now_ + door_.access_token_lifetime.count(),
       .refresh = secret_digest(next.text()),
       .provider_token =
           seal_text(SealedFor::provider_token, user->renewal, "", next.secret, worker_.random)},
      now_);
  if (!rotated.has_value()) co_return unavailable("the state file cannot be asked now");
  if (!*rotated) co_return refuse("invalid_grant", "the sign-in has ended meanwhile");
  co_return give(renewed, access, next.text());
}

/// Source: RFC 7009 §2.
Task<FrontDoorAnswer> FrontDoor::revoke() {
  const Result<Form> form = co_await read_form_body();
  if (!form.has_value()) {
    co_return refuse("invalid_request", std::string(form.error().detail), Reason::http_malformed);
  }
  const std::string text = value_of(*form, "token");
  const std::string client = value_of(*form, "client_id");
  Grants grants(store_);
  std::optional<Grant> grant;
  if (const auto refresh = RefreshToken::read(text)) {
    auto found = co_await grants.find(worker_.loop, refresh->grant, now_);
    if (!found.has_value()) co_return unavailable("the state file cannot be asked now");
    if (found->has_value() && refresh->is_made_with((*found)->refresh_key)) grant = *found;
  } else {
    auto found = co_await grants.find_access(worker_.loop, secret_digest(text), now_);
    if (!found.has_value()) co_return unavailable("the state file cannot be asked now");
    if (found->has_value()) grant = (*found)->grant;
  }
  const bool is_its_own = grant.has_value() && grant->client == client && grant->door == door_.name;
  if (is_its_own) co_await end_grant(*std::move(grant), "its client ended it");
  co_return json_answer("{}");
}

/// Source: RFC 7591 §3.
Task<FrontDoorAnswer> FrontDoor::register_client() {
  if (!has_type(request_.head, "application/json")) {
    co_return refuse("invalid_client_metadata", "JSON is due", Reason::http_unsupported_media_type,
                     415);
  }
  const Result<std::string> body = co_await request_.read_body();
  if (!body.has_value()) {
    co_return refuse("invalid_client_metadata", std::string(body.error().detail),
                     Reason::http_malformed);
  }
  Result<DoorClient> client = read_registration(*body, door_);
  if (!client.has_value()) {
    const std::string detail(client.error().detail);
    const bool is_redirect = detail.contains("redirect");
    co_return refuse(is_redirect ? "invalid_redirect_uri" : "invalid_client_metadata", detail,
                     is_redirect ? Reason::redirect_not_allowed : Reason::sign_in_refused);
  }
  RegisteredClient kept{.id = std::string(kRegisteredPrefix) + new_secret(worker_.random),
                        .door = door_.name,
                        .name = client->name,
                        .redirect_uris = {}};
  std::string uris;
  for (const std::string& uri : client->redirect_uris) {
    kept.redirect_uris.append(kept.redirect_uris.empty() ? "" : " ").append(uri);
    uris.append(uris.empty() ? "" : ",").append(json_string(uri));
  }
  const Result<void> added =
      co_await RegisteredClients(store_).add(worker_.loop, kept, request_.network, now_);
  if (!added.has_value()) {
    co_return refuse("temporarily_unavailable", std::string(added.error().detail),
                     Reason::overloaded, 503);
  }
  co_return json_answer(fmt::format(R"({{"client_id":{},"client_id_issued_at":{},"client_name":{},)"
                                    R"("redirect_uris":[{}],"token_endpoint_auth_method":"none",)"
                                    R"("grant_types":["authorization_code","refresh_token"],)"
                                    R"("response_types":["code"]}})",
                                    json_string(kept.id), now_, json_string(kept.name), uris),
                        201);
}

}  // namespace bartizan
