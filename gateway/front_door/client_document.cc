#include "gateway/front_door/client_document.h"

#include <algorithm>

#include "config/parse_host_port.h"
#include "config/redirect_uri.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

constexpr JsonLimits kLimits{.bytes_max = std::size_t{64} << 10, .values_max = 4096};

std::unexpected<Error> refuse(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::client, std::move(detail));
}

/// Scheme, host and port.
std::string_view origin_of(std::string_view url) {
  const std::size_t host = std::min(url.find("://") + 3, url.size());
  return url.substr(0, std::min(url.find_first_of("/?", host), url.size()));
}

Result<std::vector<std::string>> read_redirects(JsonValue client, std::string_view origin,
                                                const FrontDoorConfig& door) {
  const JsonValue uris = client.find("redirect_uris");
  if (!uris.is(JsonType::array) || uris.size() == 0) {
    return refuse("\"redirect_uris\" is missing");
  }
  if (uris.size() > limits::redirect_uris_max) return refuse("too many \"redirect_uris\"");
  std::vector<std::string> read;
  for (const JsonValue uri : uris) {
    if (!uri.is(JsonType::string)) return refuse("a redirect URI is not a text");
    const std::string_view fault = find_redirect_fault(uri.text());
    if (!fault.empty()) return refuse("a redirect URI " + std::string(fault));
    const bool is_at_home = !origin.empty() && origin_of(uri.text()) == origin;
    const bool is_known = std::ranges::any_of(door.redirect_uris, [&](const std::string& one) {
      return is_same_redirect(one, uri.text());
    });
    // URIs that are not allowed are dropped, so a client with several can use an allowed one.
    if (is_at_home || is_known || is_loopback_redirect(uri.text())) read.emplace_back(uri.text());
  }
  if (read.empty()) {
    return refuse(
        "none of the \"redirect_uris\" is allowed: redirect_uris of the front door names "
        "those beside loopback ones");
  }
  return read;
}

Result<DoorClient> read_client(JsonValue json, std::string_view origin,
                               const FrontDoorConfig& door) {
  const std::string_view method = json.find("token_endpoint_auth_method").text();
  // Clients with another authentication method name it here; they are accepted without it.
  const bool has_secret = json.find("client_secret") || method == "client_secret_post" ||
                          method == "client_secret_basic" || method == "client_secret_jwt";
  if (has_secret && !origin.empty()) return refuse("a client in public has no secret");
  auto redirects = read_redirects(json, origin, door);
  if (!redirects.has_value()) return std::unexpected(redirects.error());
  const std::string_view name = json.find("client_name").text();
  return DoorClient{.name = std::string(utf8_head(name, limits::client_name_max)),
                    .redirect_uris = *std::move(redirects)};
}

}  // namespace

bool is_document_url(std::string_view id, bool may_be_local) {
  const UrlKind kind = parse_url_kind(id);
  const bool is_scheme = kind == UrlKind::https ||
                         (may_be_local && kind == UrlKind::http && is_loopback(url_host(id)));
  if (!is_scheme || id.contains('#') || id.size() > 2048) return false;
  const std::string_view path = url_path(id.substr(0, id.find('?')));
  return !path.empty() && !path.contains("/./") && !path.contains("/../") &&
         !path.ends_with("/.") && !path.ends_with("/..");
}

Result<DoorClient> read_client_document(std::string_view text, std::string_view url,
                                        const FrontDoorConfig& door) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> json = document.read(bytes, kLimits);
  if (!json.has_value() || !json->is(JsonType::object)) {
    return refuse("the client's metadata document is not a JSON object");
  }
  if (json->find("client_id").text() != url) {
    return refuse("\"client_id\" of the client's metadata document is not its URL");
  }
  Result<DoorClient> client = read_client(*json, origin_of(url), door);
  if (!client.has_value()) return client;
  client->kind = DoorClient::Kind::document;
  client->id = url;
  return client;
}

Result<DoorClient> read_registration(std::string_view text, const FrontDoorConfig& door) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> json = document.read(bytes, kLimits);
  if (!json.has_value() || !json->is(JsonType::object))
    return refuse("the body is not a JSON object");
  Result<DoorClient> client = read_client(*json, "", door);
  if (!client.has_value()) return client;
  client->kind = DoorClient::Kind::registered;
  return client;
}

bool may_redirect(const DoorClient& client, std::string_view uri) {
  return std::ranges::any_of(client.redirect_uris, [uri](const std::string& registered) {
    return is_same_redirect(registered, uri);
  });
}

}  // namespace bartizan
