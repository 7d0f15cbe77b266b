// The checks of HTTP itself on a request to the MCP endpoint, before any call is known.
#include <algorithm>
#include <array>
#include <utility>

#include "gateway/client/mcp_request.h"
#include "gateway/client/web_socket_upgrade.h"
#include "gateway/http/accept.h"
#include "gateway/identity/check_source.h"
#include "gateway/identity/protected_resource.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

std::string quoted_line(std::string_view key, std::string_view value) {
  std::string line = "[listen] " + std::string(key) + " = [";
  append_json_string(line, value.substr(0, 128));
  return line + "]";
}

/// The value that official clients send with every message; other values are parsed range by range.
constexpr std::string_view kUsualAccept = "application/json, text/event-stream";

/// `application/json`, alone or with `charset=utf-8`.
bool is_json(std::string_view content_type) {
  const std::size_t semicolon = std::min(content_type.find(';'), content_type.size());
  std::string_view type = content_type.substr(0, semicolon);
  while (type.ends_with(' '))
    type.remove_suffix(1);
  if (!equal_ignoring_case(type, "application/json")) return false;
  std::string_view parameter = content_type.substr(std::min(semicolon + 1, content_type.size()));
  while (parameter.starts_with(' '))
    parameter.remove_prefix(1);
  while (parameter.ends_with(' '))
    parameter.remove_suffix(1);
  return semicolon == content_type.size() || equal_ignoring_case(parameter, "charset=utf-8") ||
         equal_ignoring_case(parameter, "charset=\"utf-8\"");
}

}  // namespace

std::optional<HttpRefusal> McpRequest::check_host() const {
  if (is_host_allowed(snapshot_->config.listen, head_.host())) return std::nullopt;
  return HttpRefusal{.status = 403,
                     .reason = Reason::host_not_allowed,
                     .detail = "the Host header names another site",
                     .hint = quoted_line("allowed_hosts", head_.host())};
}

std::optional<HttpRefusal> McpRequest::check_source() {
  const ListenConfig& listen = snapshot_->config.listen;
  if (auto refusal = check_host()) return refusal;
  const auto origin = head_.find(KnownHeader::origin);
  if (origin.has_value() && !is_origin_allowed(listen, *origin)) {
    return HttpRefusal{.status = 403,
                       .reason = Reason::origin_not_allowed,
                       .detail = "the Origin header names a site that is not allowed",
                       .hint = quoted_line("allowed_origins", *origin)};
  }
  if (origin.has_value()) connection_.allow_origin(*origin);
  return std::nullopt;
}

bool McpRequest::begins_web_socket() const {
  return snapshot_->config.listen.web_socket && asks_for_web_socket(head_);
}

/// The setting that would allow what a GET seems to ask for.
std::string McpRequest::find_transport_hint() const {
  if (asks_for_web_socket(head_)) return "[listen] web_socket = true";
  return asks_for_sse() ? "[listen] sse = true" : "";
}

std::optional<HttpRefusal> McpRequest::check_request() {
  if (auto refusal = find_endpoint()) return refusal;
  if (protocol() != EndpointConfig::Protocol::mcp) return check_protocol();
  if (begins_web_socket() || begins_sse()) return std::nullopt;
  const HttpMethod method = head_.method();
  const bool has_session = head_.has(KnownHeader::mcp_session_id);
  const bool of_session = method == HttpMethod::get || method == HttpMethod::delete_;
  // Without a session, the modern era refuses GET and DELETE: it has only POST.
  const auto version = head_.find(KnownHeader::mcp_protocol_version);
  if (of_session && has_session && version.has_value() && !parse_protocol_version(*version)) {
    return HttpRefusal{.status = 400,
                       .reason = Reason::unsupported_version,
                       .detail = "MCP-Protocol-Version names no revision that the gateway speaks"};
  }
  if (method == HttpMethod::post || (of_session && has_session)) return std::nullopt;
  return HttpRefusal{.status = 405,
                     .reason = Reason::http_method_not_allowed,
                     .detail = "this endpoint takes POST; GET and DELETE need a session",
                     .headers = {{"Allow", has_session ? "POST, GET, DELETE" : "POST"}},
                     .hint = find_transport_hint()};
}

/// The endpoint at the path in the current snapshot. A request must stay at its first endpoint.
std::optional<HttpRefusal> McpRequest::find_endpoint() {
  const auto found = endpoint_at(snapshot_->config, head_.path());
  const bool is_other = endpoint_.has_value() && endpoint_ != found;
  if (!found.has_value() || is_other) {
    return HttpRefusal{.status = 404, .reason = Reason::http_not_found, .detail = "no such path"};
  }
  endpoint_ = *found;
  connection_.set_endpoint(*found);
  return std::nullopt;
}

/// Finds the certificate of the request, before anybody is proved.
std::optional<HttpRefusal> McpRequest::check_certificate() {
  const auto read = connection_.peer().read_certificate(head_, snapshot_, seconds_now());
  if (!read.has_value() && read.error().reason == Reason::http_malformed) {
    return HttpRefusal{
        .status = 400, .reason = Reason::http_malformed, .detail = read.error().detail};
  }
  if (!read.has_value()) {
    // A client with a newer certificate shows it on its next connection.
    if (connection_.peer().is_over()) connection_.drain();
    return refuse_unproved(read.error().reason, read.error().detail);
  }
  const auto found = snapshot_->config.endpoints.find(endpoint_.value_or(""));
  const bool is_needed =
      found != snapshot_->config.endpoints.end() && found->second.needs_certificate;
  if (!is_needed || !connection_.peer().certificates().empty()) return std::nullopt;
  HttpRefusal refusal =
      refuse_unproved(Reason::unauthenticated, "this endpoint needs a client certificate");
  refusal.message = "A client certificate is required at this endpoint.";
  return refusal;
}

std::optional<HttpRefusal> McpRequest::check_media() const {
  const std::string_view type = head_.find(KnownHeader::content_type).value_or("");
  if (!is_json(type) || head_.has_content_coding()) {
    return HttpRefusal{.status = 415,
                       .reason = Reason::http_unsupported_media_type,
                       .detail = "a message is sent as application/json in UTF-8, not encoded"};
  }
  if (accepts() == Accepts::nothing) {
    return HttpRefusal{.status = 406,
                       .reason = Reason::http_not_acceptable,
                       .detail = "Accept must list application/json and text/event-stream"};
  }
  return std::nullopt;
}

McpRequest::Accepts McpRequest::accepts() const {
  const auto accept = head_.find(KnownHeader::accept);
  if (!accept.has_value() || *accept == kUsualAccept) return Accepts::both;
  const bool json = bartizan::accepts(*accept, "application/json");
  const bool stream = bartizan::accepts(*accept, "text/event-stream");
  if (json && stream) return Accepts::both;
  if (json) return Accepts::json;
  return stream ? Accepts::stream : Accepts::nothing;
}

/// A client that names event streams first gets a resumable one if possible. The order of a list
/// has no meaning by itself (RFC 9110 §12.5.1), but among equals it is the only hint.
StreamPreference McpRequest::stream_wish() const {
  const std::string_view accept = head_.find(KnownHeader::accept).value_or(kUsualAccept);
  if (accept == kUsualAccept) return StreamPreference::when_needed;
  const Accepts accepted = accepts();
  if (accepted == Accepts::json) return StreamPreference::never;
  const bool wants_stream =
      accepted == Accepts::stream || prefers(accept, "text/event-stream", "application/json");
  return wants_stream ? StreamPreference::at_once : StreamPreference::when_needed;
}

Credentials McpRequest::credentials() const {
  return {.transport = Transport::http,
          .authorization = head_.find(KnownHeader::authorization),
          .head = &head_,
          .peer = connection_.peer().address().source,
          .endpoint = endpoint_,
          .certificates = connection_.peer().certificates()};
}

/// Accepts the proved caller; otherwise returns why nobody was proved.
std::optional<HttpRefusal> McpRequest::accept(Authentication&& proved) {
  if (proved.has_value()) {
    caller_ = std::move(*proved);
    if (connection_.proof().find(credentials(), snapshot_, moment()) == nullptr) {
      connection_.proof().keep(credentials(), snapshot_, caller_, moment());
    }
    return std::nullopt;
  }
  const Reason reason = proved.error().reason;
  if (reason == Reason::overloaded || reason == Reason::issuer_unavailable) {
    return HttpRefusal{.status = 503,
                       .reason = reason,
                       .detail = proved.error().detail,
                       .headers = {{"Retry-After", "1"}}};
  }
  // A blocked caller is known, and no other credential helps.
  if (reason == Reason::blocked) {
    return HttpRefusal{.status = 403, .reason = reason, .detail = proved.error().detail};
  }
  return refuse_unproved(reason, std::move(proved.error().detail));
}

HttpRefusal McpRequest::refuse_unproved(Reason reason, std::string detail) {
  challenge_ =
      challenge_of(snapshot_->config, endpoint_.value_or(""), reason != Reason::unauthenticated);
  HttpRefusal refusal{.status = 401,
                      .reason = reason,
                      .detail = std::move(detail),
                      .headers = {{"WWW-Authenticate", challenge_}}};
  // The holder of a revoked credential gets the same refusal as a caller without one.
  if (reason == Reason::revoked) refusal.told = Reason::credentials_invalid;
  return refusal;
}

/// Serves documents that clients read before they sign in, without a caller and a session.
Task<bool> McpRequest::serve_metadata(std::string document) {
  if (head_.method() != HttpMethod::get) {
    co_return co_await connection_.refuse({.status = 405,
                                           .reason = Reason::http_method_not_allowed,
                                           .detail = "metadata is read by GET",
                                           .headers = {{"Allow", "GET"}}});
  }
  const std::array<HeaderLine, 1> headers{{{"Cache-Control", "max-age=300"}}};
  co_return co_await connection_.respond(200, "application/json", document, headers);
}

Task<bool> McpRequest::preflight() {
  if (!connection_.has_origin()) {
    co_return co_await connection_.refuse({.status = 405,
                                           .reason = Reason::http_method_not_allowed,
                                           .detail = "OPTIONS without an allowed Origin",
                                           .headers = {{"Allow", "POST"}}});
  }
  const std::string_view wanted =
      head_.find(KnownHeader::access_control_request_headers).value_or("Content-Type");
  const std::array<HeaderLine, 3> headers{{{"Access-Control-Allow-Methods", "POST, GET, DELETE"},
                                           {"Access-Control-Allow-Headers", wanted},
                                           {"Access-Control-Max-Age", "600"}}};
  co_return co_await connection_.respond(204, "", "", headers);
}

}  // namespace bartizan
