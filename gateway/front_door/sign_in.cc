// A browser at a front door: it signs in, consents, and returns from the provider.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "config/redirect_uri.h"
#include "gateway/front_door/find_client.h"
#include "gateway/front_door/front_door.h"
#include "gateway/front_door/front_door_answers.h"
#include "gateway/front_door/front_door_pages.h"
#include "gateway/front_door/front_door_secrets.h"
#include "gateway/front_door/provider.h"
#include "gateway/http/write_form.h"
#include "gateway/identity/front_door_verifier.h"
#include "gateway/runtime/clock.h"
#include "schemas/base/same_secret.h"

namespace bartizan {
namespace {

constexpr std::size_t kStateBytesMax = 2048;
constexpr std::size_t kSecretLetters = 43;
constexpr std::size_t kCookieIdDigits = 12;
bool is_base64url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_';
  });
}

std::string_view text_of(DoorClient::Kind kind) {
  switch (kind) {
    case DoorClient::Kind::configured:
      return "configured";
    case DoorClient::Kind::document:
      return "document";
    case DoorClient::Kind::registered:
      return "registered";
  }
  return "registered";
}

/// Scheme, host and port of a URL.
std::string_view origin_of(std::string_view url) {
  const std::size_t host = std::min(url.find("://") + 3, url.size());
  return url.substr(0, std::min(url.find('/', host), url.size()));
}

/// The scopes of OpenID Connect. Clients request them in addition to a resource's, whether or not
/// the authorization server has them.
/// Source: OpenID Connect Core 1.0, §5.4, §11.
constexpr std::array<std::string_view, 6> kOpenIdScopes{"openid",  "profile", "email",
                                                        "address", "phone",   "offline_access"};

/// Whether a client requests a scope that the front door does not have. A front door without scopes
/// ignores the request.
bool asks_unknown_scope(std::string_view asked, const FrontDoorConfig& door) {
  if (door.scopes.empty()) return false;
  while (!asked.empty()) {
    const std::size_t end = std::min(asked.find(' '), asked.size());
    const std::string scope(asked.substr(0, end));
    const bool is_known = scope.empty() || door.scopes.contains(scope) ||
                          std::ranges::find(kOpenIdScopes, scope) != kOpenIdScopes.end();
    if (!is_known) return true;
    asked.remove_prefix(std::min(end + 1, asked.size()));
  }
  return false;
}

/// The scopes that a client gets: the requested ones; otherwise those of the endpoint; if that has
/// none, all.
std::string granted_scopes(std::string_view asked, const FrontDoorConfig& door,
                           const EndpointConfig& endpoint) {
  std::vector<std::string> scopes;
  const auto add = [&](std::string_view scope) {
    const bool is_known = door.scopes.contains(std::string(scope));
    const bool is_new = std::ranges::find(scopes, scope) == scopes.end();
    if (is_known && is_new) scopes.emplace_back(scope);
  };
  while (!asked.empty()) {
    const std::size_t end = std::min(asked.find(' '), asked.size());
    add(asked.substr(0, end));
    asked.remove_prefix(std::min(end + 1, asked.size()));
  }
  if (scopes.empty()) std::ranges::for_each(endpoint.scopes, add);
  if (scopes.empty()) {
    for (const auto& [scope, roles] : door.scopes)
      add(scope);
  }
  std::ranges::sort(scopes);
  std::string text;
  for (const std::string& scope : scopes)
    text.append(text.empty() ? "" : " ").append(scope);
  return text;
}

/// The digest of a consent's subject; empty if it must not be remembered. Consents are remembered
/// only for clients with a metadata URL and an `https` redirect URI: any application can be behind
/// another redirect.
///
/// Some hosts forward a code to the target that the client's state names. Any application can be
/// behind these too.
std::string consent_digest(const SignInRequest& request, std::string_view browser) {
  constexpr std::array<std::string_view, 2> kSendOn{"https://vscode.dev/",
                                                    "https://insiders.vscode.dev/"};
  const bool is_sent_on = std::ranges::any_of(
      kSendOn, [&request](std::string_view host) { return request.redirect.starts_with(host); });
  if (is_sent_on) return "";
  if (request.client_kind != "document" || !request.redirect.starts_with("https://")) return "";
  std::string text;
  for (const std::string_view part :
       {std::string_view(request.door), std::string_view(request.client),
        std::string_view(request.redirect), std::string_view(request.scopes),
        std::string_view(request.resource), browser}) {
    text += fmt::format("{}:{}", part.size(), part);
  }
  return secret_digest(text);
}

}  // namespace

/// The name of a cookie of the front door. With an id it is the cookie of one sign-in, so two
/// sign-ins in one browser are separate. Without an id it is the cookie of consents.
std::string FrontDoor::cookie_name(std::string_view id) const {
  // Browsers accept this name only from this very host, and over TLS (RFC 6265bis §4.1.3.2).
  std::string name =
      door_.issuer.starts_with("https://") ? "__Host-bartizan-door" : "bartizan-door";
  if (!id.empty()) name.append("-").append(id.substr(0, kCookieIdDigits));
  return name;
}

/// The browser's cookie of that name; nothing if there is none, there are two, or it is malformed.
std::optional<std::string> FrontDoor::cookie(const std::string& name) const {
  std::optional<std::string> found;
  for (const HeaderField& field : request_.head.fields().all()) {
    if (!equal_ignoring_case(field.name, "cookie")) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view one = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
      one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
      const std::size_t equals = one.find('=');
      if (equals == one.npos || one.substr(0, equals) != name) continue;
      if (found.has_value()) return std::nullopt;
      found = one.substr(equals + 1);
    }
  }
  const bool is_ours = found.has_value() && found->size() == kSecretLetters && is_base64url(*found);
  return is_ours ? found : std::nullopt;
}

std::pair<std::string_view, std::string> FrontDoor::set_cookie(const std::string& name,
                                                               std::string_view value,
                                                               std::int64_t seconds) const {
  const bool is_secure = door_.issuer.starts_with("https://");
  return {"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{}", name,
                                    value, seconds, is_secure ? "; Secure" : "")};
}

/// Whether a pending sign-in began in the browser of the request.
bool FrontDoor::is_of_browser(const PendingSignIn& pending) const {
  const auto browser = cookie(cookie_name(pending.id));
  return browser.has_value() && is_same_secret(pending.browser, secret_digest(*browser));
}

FrontDoorAnswer FrontDoor::stop(int status, Reason reason, std::string sentence,
                                std::string detail) const {
  FrontDoorAnswer answer = page(stopped_html(door_, sentence), status);
  answer.reason = reason;
  answer.detail = detail.empty() ? std::move(sentence) : std::move(detail);
  return answer;
}

/// The client's redirect URI with a response parameter of the gateway.
std::string FrontDoor::client_url(const SignInRequest& request, std::string_view name,
                                  std::string value) const {
  std::vector<std::pair<std::string_view, std::string>> fields{{name, std::move(value)}};
  if (!request.client_state.empty()) fields.emplace_back("state", request.client_state);
  fields.emplace_back("iss", door_.issuer);
  return with_query(request.redirect, fields);
}

FrontDoorAnswer FrontDoor::send_back(const SignInRequest& request, std::string_view error,
                                     std::string detail, Reason reason) const {
  FrontDoorAnswer answer = see_other(client_url(request, "error", std::string(error)));
  answer.reason = reason;
  answer.detail = std::move(detail);
  return answer;
}

Task<FrontDoorAnswer> FrontDoor::authorize() {
  Result<Form> query = read_query(request_.head.query());
  if (!query.has_value()) {
    co_return stop(400, Reason::http_malformed, "The address is not one that clients make.",
                   query.error().detail);
  }
  Result<DoorClient> client =
      co_await find_client(worker_.loop, sign_ins_, store_, door_, value_of(*query, "client_id"),
                           request_.network, now_);
  if (!client.has_value()) {
    const std::string detail(client.error().detail);
    if (client.error().code == ErrorCode::invalid_params) {
      co_return stop(400, Reason::sign_in_refused, detail);
    }
    if (client.error().code == ErrorCode::server_failed) {
      // The gateway's own errors on the way are only for the operator.
      co_return stop(400, Reason::sign_in_refused,
                     "The description of the application cannot be read.", detail);
    }
    co_return stop(503, Reason::overloaded, "Too many sign-ins are under way. Try again later.",
                   detail);
  }
  co_return co_await begin(*std::move(client), *std::move(query));
}

/// Checks the request of a known client. Nobody is redirected until its redirect URI is known to be
/// one of its own.
Task<FrontDoorAnswer> FrontDoor::begin(DoorClient client, const Form& query) {
  SignInRequest request{.door = door_.name,
                        .client = client.id,
                        .client_name = client.name,
                        .client_kind = std::string(text_of(client.kind)),
                        .redirect = value_of(query, "redirect_uri"),
                        .client_state = value_of(query, "state"),
                        .challenge = value_of(query, "code_challenge")};
  if (!may_redirect(client, request.redirect)) {
    return Task<FrontDoorAnswer>::ready(
        stop(400, Reason::redirect_not_allowed,
             "The application wants to send you to a place that is not one of its own."));
  }
  // A client that anybody could imitate must not use this host for redirects by a mere link.
  const bool is_trusted =
      client.kind == DoorClient::Kind::configured || is_loopback_redirect(request.redirect) ||
      std::ranges::any_of(door_.redirect_uris, [&request](const std::string& known) {
        return is_same_redirect(known, request.redirect);
      });
  const auto refuse = [&](std::string_view error, std::string sentence) {
    return Task<FrontDoorAnswer>::ready(
        is_trusted ? send_back(request, error, std::move(sentence))
                   : stop(400, Reason::sign_in_refused, std::move(sentence)));
  };
  if (request.client_state.size() > kStateBytesMax) {
    request.client_state.clear();
    return refuse("invalid_request", "\"state\" is longer than 2048 bytes.");
  }
  if (value_of(query, "response_type") != "code") {
    return refuse("unsupported_response_type", "\"response_type\" is not \"code\".");
  }
  const bool has_challenge = request.challenge.size() == kSecretLetters &&
                             is_base64url(request.challenge) &&
                             value_of(query, "code_challenge_method") == "S256";
  if (!has_challenge) {
    return refuse("invalid_request", "The application does not use PKCE with S256.");
  }
  if (value_of(query, "prompt") == "none") {
    return refuse("interaction_required", "A user has to be asked.");
  }
  const auto resource = query.find("resource");
  const std::vector<const EndpointConfig*> all = endpoints();
  const EndpointConfig* endpoint = resource.has_value() ? find_endpoint(*resource)
                                   : all.size() == 1    ? all.front()
                                                        : nullptr;
  if (endpoint == nullptr) {
    return refuse("invalid_target", "\"resource\" is not an endpoint of this front door.");
  }
  request.resource = endpoint->resource;
  const std::string_view scopes = query.find("scope").value_or("");
  if (asks_unknown_scope(scopes, door_)) {
    return refuse("invalid_scope", "\"scope\" has one that this front door does not have.");
  }
  request.scopes = granted_scopes(scopes, door_, *endpoint);
  return ask_or_forward(std::move(client), std::move(request));
}

Task<FrontDoorAnswer> FrontDoor::ask_or_forward(DoorClient /*client*/, SignInRequest request) {
  Random& random = worker_.random;
  const auto known = cookie(cookie_name());
  const std::string consenter = known.has_value() ? *known : new_secret(random);
  const std::string browser = new_secret(random);
  const std::string id = new_secret(random);
  if (door_.remember_consent.count() > 0) request.consent = consent_digest(request, consenter);
  if (known.has_value() && !request.consent.empty()) {
    const auto before = co_await Consents(store_).find(worker_.loop, request.consent, now_);
    if (before.has_value() && before->has_value()) request.remembered = **before;
  }
  PendingSignIn pending{.id = secret_digest(id),
                        .browser = secret_digest(browser),
                        .source = request_.network,
                        .request = request.to_json(),
                        .ends = now_ + kSignInSeconds};
  const auto of_sign_in = set_cookie(cookie_name(pending.id), browser, kSignInSeconds);
  const Result<void> added = co_await PendingSignIns(store_).add(worker_.loop, pending, now_);
  if (!added.has_value()) {
    co_return stop(503, Reason::overloaded, "Too many sign-ins are under way. Try again later.",
                   added.error().detail);
  }
  if (!request.remembered.empty()) {
    FrontDoorAnswer answer = co_await forward(std::move(pending), std::move(request), false);
    answer.headers.push_back(of_sign_in);
    co_return answer;
  }
  FrontDoorAnswer answer = page(consent_html(door_, request, id));
  answer.headers.push_back(of_sign_in);
  if (!request.consent.empty()) {
    answer.headers.push_back(set_cookie(cookie_name(), consenter, door_.remember_consent.count()));
  }
  co_return answer;
}

/// Why a form was not sent by a browser from a page of this front door; nothing if it was. Source:
/// CWE-352; W3C Fetch Metadata.
std::optional<FrontDoorAnswer> FrontDoor::find_form_flaw() const {
  const auto origin = request_.head.find(KnownHeader::origin);
  const bool is_own = origin.has_value() && *origin == origin_of(door_.issuer);
  const bool has_other_site =
      std::ranges::any_of(request_.head.fields().all(), [](const HeaderField& field) {
        return equal_ignoring_case(field.name, "sec-fetch-site") && field.value != "same-origin";
      });
  if (!is_own || has_other_site) {
    return stop(403, Reason::origin_not_allowed, "The form came from another site.");
  }
  const auto type = request_.head.find(KnownHeader::content_type);
  if (!type.has_value() || !equal_ignoring_case(*type, "application/x-www-form-urlencoded")) {
    return stop(415, Reason::http_unsupported_media_type, "A form is sent as browsers send it.");
  }
  return std::nullopt;
}

Task<FrontDoorAnswer> FrontDoor::consent() {
  if (auto flaw = find_form_flaw()) co_return *std::move(flaw);
  const Result<Form> form = co_await read_form_body();
  if (!form.has_value()) {
    co_return stop(400, Reason::http_malformed, "The form cannot be read.", form.error().detail);
  }
  auto found = co_await PendingSignIns(store_).find(
      worker_.loop, secret_digest(form->find("id").value_or("")), now_);
  if (!found.has_value()) {
    co_return stop(503, Reason::overloaded, "The sign-in cannot be read now. Try again.",
                   found.error().detail);
  }
  const bool is_own = found->has_value() && is_of_browser(**found);
  auto request = is_own ? SignInRequest::from_json((*found)->request) : std::nullopt;
  if (!request.has_value() || request->door != door_.name) {
    co_return stop(403, Reason::sign_in_refused, std::string(kNotBegunHere));
  }
  if (form->find("decision").value_or("") == "allow") {
    co_return co_await forward(*std::move(*found), *std::move(request), true);
  }
  const auto dropped = co_await PendingSignIns(store_).drop(worker_.loop, (*found)->id);
  if (!dropped.has_value()) {
    co_return stop(503, Reason::overloaded, "The sign-in cannot be ended now. Try again.",
                   dropped.error().detail);
  }
  FrontDoorAnswer answer =
      page(forward_html(door_, "Not allowed", client_url(*request, "error", "access_denied")));
  answer.reason = Reason::sign_in_refused;
  answer.detail = "the user did not allow it";
  co_return answer;
}

/// Sends the browser to the provider. After a form it uses a page, since the policy of the form's
/// page would have to name every host that the provider redirects to.
Task<FrontDoorAnswer> FrontDoor::forward(PendingSignIn pending, SignInRequest request,
                                         bool is_form) {
  Provider provider(worker_.loop, sign_ins_, door_, worker_.random);
  const Provider::Begin begin{.state = new_secret(worker_.random),
                              .nonce = new_secret(worker_.random),
                              .verifier = new_secret(worker_.random)};
  Result<std::string> url = co_await provider.authorize_url(begin);
  if (!url.has_value()) {
    co_return stop(503, Reason::issuer_unavailable,
                   "The identity provider cannot be asked now. Try again later.",
                   url.error().detail);
  }
  request.verifier = begin.verifier;
  request.nonce = begin.nonce;
  const auto forwarded = co_await PendingSignIns(store_).forward(
      worker_.loop, pending.id, secret_digest(begin.state), request.to_json(), now_);
  if (!forwarded.has_value()) {
    co_return stop(503, Reason::overloaded, "The sign-in cannot go on now. Try again.",
                   forwarded.error().detail);
  }
  if (!*forwarded) co_return stop(403, Reason::sign_in_refused, std::string(kNotBegunHere));
  co_return is_form ? page(forward_html(door_, "Sign in", *url)) : see_other(*std::move(url));
}

}  // namespace bartizan
