// The sign-in of operators at the identity provider of a front door.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gateway/console/answer_console.h"
#include "gateway/front_door/front_door_secrets.h"
#include "gateway/front_door/provider.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/same_secret.h"

namespace bartizan {
namespace {

constexpr std::size_t kFieldBytesMax = 3072;
constexpr std::string_view kNotBegun =
    "This sign-in did not begin in this browser, is over, or was used already. Sign in again.";

/// The cookie that binds a sign-in to its browser. Unlike a session's cookie, the browser sends it
/// when the provider redirects back.
std::string_view cookie_name(bool is_encrypted) {
  return is_encrypted ? "__Host-bartizan-provider" : "bartizan-provider";
}

std::string binding_cookie(const ConsoleRequest& request, std::string_view value) {
  const auto origin = request.head.find(KnownHeader::origin);
  const bool is_secure =
      request.is_encrypted || (origin.has_value() && origin->starts_with("https://"));
  return fmt::format(
      "{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{}", cookie_name(request.is_encrypted),
      value,
      std::chrono::duration_cast<std::chrono::seconds>(limits::console_provider_sign_in_max)
          .count(),
      is_secure ? "; Secure" : "");
}

std::string_view find_cookie(const ConsoleRequest& request) {
  const std::string_view name = cookie_name(request.is_encrypted);
  for (const HeaderField& field : request.head.fields().all()) {
    if (!equal_ignoring_case(field.name, "cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view one = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
      const std::size_t equals = std::min(one.find('='), one.size());
      if (one.substr(0, equals) == name) return one.substr(std::min(equals + 1, one.size()));
    }
  }
  return {};
}

const FrontDoorConfig* find_door(const Snapshot& snapshot, std::string_view name) {
  const auto& doors = snapshot.config.auth.front_doors;
  const auto found = std::ranges::find(doors, name, &FrontDoorConfig::name);
  return found == doors.end() ? nullptr : &*found;
}

std::string text_of(const std::optional<std::string_view>& value) {
  return std::string(value.value_or("").substr(0, kFieldBytesMax));
}

}  // namespace

/// Sends an operator to a provider. Input: a form of the sign-in page.
Task<ConsoleAnswer> Console::begin_at_provider(const ConsoleRequest& request, SnapshotPtr snapshot,
                                               const Form& form) {
  const FrontDoorConfig* door = find_door(*snapshot, form.find("door").value_or(""));
  if (door == nullptr || gateway_.sign_ins == nullptr) {
    co_return sign_in_page(*snapshot, "There is no such provider any more.", 404);
  }
  // The origin in the request was checked: it is the console's.
  const std::string redirect =
      std::string(request.head.find(KnownHeader::origin).value_or("")) + "/callback";
  Provider provider(loop_, *gateway_.sign_ins, *door, random_, redirect);
  const Provider::Begin begin{
      .state = new_secret(random_), .nonce = new_secret(random_), .verifier = new_secret(random_)};
  const Result<std::string> url = co_await provider.authorize_url(begin);
  if (!url.has_value()) {
    co_return refuse_sign_in(
        request, *snapshot,
        {.status = 503, .reason = Reason::issuer_unavailable, .why = url.error().detail});
  }
  const std::string browser = new_secret(random_);
  provider_sign_ins_.add(secret_digest(begin.state),
                         {.door = door->name,
                          .redirect = redirect,
                          .nonce = begin.nonce,
                          .verifier = begin.verifier,
                          .browser = secret_digest(browser),
                          .then = std::string(page_behind(form.find("then").value_or("")))},
                         steady_now());
  ConsoleAnswer answer = console_page(go_on_html("Sign in", *url));
  answer.headers.emplace_back("Set-Cookie", binding_cookie(request, browser));
  co_return answer;
}

/// Serves a browser that returned. It continues by a form, since GET changes nothing.
ConsoleAnswer Console::show_callback(const ConsoleRequest& request, const Snapshot& snapshot) {
  const Result<Form> query = read_query(request.head.query());
  if (!query.has_value() || query->find("error").has_value() || !query->find("code").has_value() ||
      !query->find("state").has_value()) {
    return sign_in_page(snapshot, "The provider did not let you in.", 403);
  }
  const auto issuer = query->find("iss");
  return console_page(callback_html(
      text_of(query->find("code")), text_of(query->find("state")),
      issuer.has_value() ? std::optional(issuer->substr(0, kFieldBytesMax)) : std::nullopt));
}

Task<ConsoleAnswer> Console::come_back(const ConsoleRequest& request, SnapshotPtr snapshot,
                                       const Form& form) {
  const auto refused = [&](Reason reason, std::string why) {
    attempts_.count_failure(request.address, steady_now());
    return refuse_sign_in(request, *snapshot, {.reason = reason, .why = std::move(why)});
  };
  const auto taken =
      provider_sign_ins_.take(secret_digest(form.find("state").value_or("")), steady_now());
  const bool is_own =
      taken.has_value() && is_same_secret(taken->browser, secret_digest(find_cookie(request)));
  const FrontDoorConfig* door = is_own ? find_door(*snapshot, taken->door) : nullptr;
  if (door == nullptr || gateway_.sign_ins == nullptr) {
    co_return refused(Reason::sign_in_refused, std::string(kNotBegun));
  }
  Provider provider(loop_, *gateway_.sign_ins, *door, random_, taken->redirect);
  const auto issuer = form.find("iss");
  const Result<bool> is_right = co_await provider.is_answer_of(
      issuer.has_value() ? std::optional<std::string>(*issuer) : std::nullopt);
  if (!is_right.has_value()) {
    co_return refused(Reason::issuer_unavailable, std::string(is_right.error().detail));
  }
  if (!*is_right) {
    co_return refused(Reason::sign_in_refused,
                      "The answer is not from the provider that was asked.");
  }
  const Result<ProviderUser> user =
      co_await provider.exchange(text_of(form.find("code")), taken->verifier, taken->nonce);
  if (!user.has_value()) {
    const bool is_refused = user.error().code == ErrorCode::invalid_params;
    co_return refused(is_refused ? Reason::sign_in_refused : Reason::issuer_unavailable,
                      std::string(user.error().detail));
  }
  const auto identity = read_grant(*door, {.claims = user->claims});
  if (!identity.has_value()) {
    co_return refused(Reason::sign_in_refused, std::string(entry_of(identity.error()).sentence));
  }
  const std::int64_t now = seconds_now();
  const Credential credential{
      .kind = CredentialKind::front_door,
      .name = door->name,
      .expires =
          now +
          std::chrono::duration_cast<std::chrono::seconds>(limits::console_session_max).count(),
      .terms = front_door_terms(*door)};
  const Principal named = snapshot->policy->principal_of(identity->principal, identity->claims);
  auto principal = snapshot->authenticator.review(named, credential, now);
  if (!principal.has_value()) {
    co_return refused(principal.error().reason, std::move(principal.error().detail));
  }
  co_return let_in(request, *snapshot,
                   {.principal = *std::move(principal),
                    .proof = "front_door:" + door->name,
                    .credential = credential},
                   taken->then);
}

}  // namespace bartizan
