// A browser that returns from the provider: finds the sign-in and its user, and gives the client a
// code.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gateway/front_door/front_door.h"
#include "gateway/front_door/front_door_answers.h"
#include "gateway/front_door/front_door_secrets.h"
#include "gateway/front_door/provider.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/runtime/clock.h"
#include "gateway/token/sealed_text.h"

namespace bartizan {
namespace {

std::string hex_of(const auto& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

Task<FrontDoorAnswer> FrontDoor::callback() {
  Result<Form> query = read_query(request_.head.query());
  if (!query.has_value()) {
    co_return stop(400, Reason::http_malformed, "The address is not one that the provider makes.",
                   query.error().detail);
  }
  auto taken = co_await PendingSignIns(store_).take(
      worker_.loop, secret_digest(query->find("state").value_or("")), now_);
  if (!taken.has_value()) {
    co_return stop(503, Reason::overloaded, "The sign-in cannot be read now. Try again.",
                   taken.error().detail);
  }
  const bool is_own = taken->has_value() && is_of_browser(**taken);
  auto request = is_own ? SignInRequest::from_json((*taken)->request) : std::nullopt;
  if (!request.has_value() || request->door != door_.name) {
    co_return stop(403, Reason::sign_in_refused, std::string(kNotBegunHere));
  }
  co_return co_await come_back(*std::move(request), *std::move(query));
}

Task<FrontDoorAnswer> FrontDoor::come_back(SignInRequest request, Form query) {
  Provider provider(worker_.loop, sign_ins_, door_, worker_.random);
  const auto issuer = query.find("iss");
  const Result<bool> is_ours = co_await provider.is_answer_of(
      issuer.has_value() ? std::optional<std::string>(*issuer) : std::nullopt);
  if (!is_ours.has_value()) {
    co_return send_back(request, "temporarily_unavailable", std::string(is_ours.error().detail),
                        Reason::issuer_unavailable);
  }
  if (!*is_ours) {
    co_return stop(403, Reason::sign_in_refused,
                   "The answer is not from the provider that was asked.");
  }
  if (const auto error = query.find("error")) {
    const bool is_denied = *error == "access_denied";
    co_return send_back(
        request, is_denied ? "access_denied" : "server_error",
        is_denied ? "the user or the provider refused" : "the provider answered with an error");
  }
  Result<ProviderUser> user =
      co_await provider.exchange(value_of(query, "code"), request.verifier, request.nonce);
  if (!user.has_value()) {
    const bool is_refused = user.error().code == ErrorCode::invalid_params;
    co_return send_back(request, is_refused ? "access_denied" : "temporarily_unavailable",
                        user.error().detail,
                        is_refused ? Reason::sign_in_refused : Reason::issuer_unavailable);
  }
  co_return co_await grant(std::move(request), std::move(user->claims), std::move(user->renewal));
}

/// Gives the client a code after the user has signed in.
Task<FrontDoorAnswer> FrontDoor::grant(SignInRequest request, std::string claims,
                                       std::string renewal) {
  Random& random = worker_.random;
  const std::string code = std::string(kCodePrefix) + new_secret(random);
  now_ = seconds_now();
  Grant grant{
      .id = hex_of(random.draw<16>()),
      .door = door_.name,
      .client = request.client,
      .resource = request.resource,
      .scopes = request.scopes,
      .claims = std::move(claims),
      .provider_token =
          renewal.empty() ? "" : seal_text(SealedFor::provider_token, renewal, "", code, random),
      .refresh_key = hex_of(random.draw<32>()),
      .ends = now_ + door_.sign_in_lifetime.count()};
  const auto identity = read_grant(door_, grant);
  if (!identity.has_value()) {
    co_return send_back(request, "access_denied", std::string(entry_of(identity.error()).sentence));
  }
  grant.principal = identity->principal;
  if (is_kept_out(grant)) {
    co_return send_back(request, "access_denied", "an operator revoked or blocked the user",
                        Reason::revoked);
  }
  if (!request.remembered.empty() && request.remembered != grant.principal) {
    // Another user consented in this browser, so this one is asked the next time.
    co_await Consents(store_).remember(worker_.loop, request.consent, grant.principal, now_, now_);
    co_return stop(403, Reason::sign_in_refused,
                   "You signed in as somebody else than the last time.");
  }
  auto failed = co_await keep_grant(request, grant,
                                    {.digest = secret_digest(code),
                                     .redirect = request.redirect,
                                     .challenge = request.challenge,
                                     .ends = now_ + kCodeSeconds});
  if (failed.has_value()) co_return *std::move(failed);
  if (!request.consent.empty() && request.remembered.empty()) {
    // If that fails, the user is asked again.
    co_await Consents(store_).remember(worker_.loop, request.consent, grant.principal,
                                       now_ + door_.remember_consent.count(), now_);
  }
  co_return see_other(client_url(request, "code", code));
}

/// Stores and records the grant; a response if that fails.
Task<std::optional<FrontDoorAnswer>> FrontDoor::keep_grant(const SignInRequest& request,
                                                           const Grant& grant, GrantCode code) {
  const auto added = co_await Grants(store_).add(worker_.loop, grant, std::move(code), now_);
  if (!added.has_value()) {
    co_return send_back(request, "temporarily_unavailable", added.error().detail,
                        Reason::overloaded);
  }
  for (const std::string& ended : *added)
    sign_ins_.notes().end(ended, now_ + kAccessTokenSecondsMax, now_);
  std::string detail = "client " + grant.client;
  if (!grant.scopes.empty()) detail += ", scope " + grant.scopes;
  if (co_await record(RecordKind::grant, grant, std::move(detail), request.client_name)) {
    co_return std::nullopt;
  }
  co_await Grants(store_).end(worker_.loop, grant.id);
  co_return send_back(request, "temporarily_unavailable", "it cannot be recorded",
                      Reason::not_recordable);
}

}  // namespace bartizan
