#include "gateway/identity/protected_resource.h"

#include <algorithm>

#include "config/parse_host_port.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

std::string metadata_url(const EndpointConfig& endpoint) {
  const std::string_view url = endpoint.resource;
  const std::size_t host = std::min(url.find("://") + 3, url.size());
  std::string metadata(url.substr(0, url.find('/', host)));
  metadata += kResourceMetadataPath;
  return metadata += url_path(url);
}

std::string joined(const std::vector<std::string>& scopes) {
  std::string text;
  for (const std::string& scope : scopes)
    text.append(text.empty() ? "" : " ").append(scope);
  return text;
}

void append_list(std::string& json, std::string_view name, const auto& texts) {
  json.append(",\"").append(name).append("\":[");
  bool is_first = true;
  for (const std::string_view text : texts) {
    if (!is_first) json += ',';
    append_json_string(json, text);
    is_first = false;
  }
  json += ']';
}

std::string write_metadata(const Config& config, const EndpointConfig& endpoint) {
  std::vector<std::string_view> servers;
  for (const FrontDoorConfig* door : front_doors_at(config, endpoint))
    servers.push_back(door->issuer);
  for (const IssuerConfig* issuer : issuers_at(config, endpoint))
    servers.push_back(issuer->issuer);
  std::string json = R"({"resource":)";
  append_json_string(json, endpoint.resource);
  append_list(json, "authorization_servers", servers);
  if (!endpoint.scopes.empty()) append_list(json, "scopes_supported", endpoint.scopes);
  return json + R"(,"bearer_methods_supported":["header"]})";
}

/// Those entries of a kind that an endpoint accepts.
template <class Entry>
std::vector<const Entry*> accepted_at(const std::vector<Entry>& entries, const std::string& kind,
                                      const EndpointConfig& endpoint) {
  std::vector<const Entry*> accepted;
  if (endpoint.resource.empty()) return accepted;
  const auto names = [&endpoint](std::string_view name) {
    return std::ranges::find(endpoint.auth, name) != endpoint.auth.end();
  };
  for (const Entry& entry : entries) {
    const bool is_taken = endpoint.auth.empty() || names(kind) || names(kind + "." + entry.name);
    if (is_taken) accepted.push_back(&entry);
  }
  return accepted;
}

bool takes_tokens(const Config& config, const EndpointConfig& endpoint) {
  return !issuers_at(config, endpoint).empty() || !front_doors_at(config, endpoint).empty();
}

}  // namespace

std::vector<const IssuerConfig*> issuers_at(const Config& config, const EndpointConfig& endpoint) {
  return accepted_at(config.auth.issuers, "issuer", endpoint);
}

std::vector<const FrontDoorConfig*> front_doors_at(const Config& config,
                                                   const EndpointConfig& endpoint) {
  return accepted_at(config.auth.front_doors, "front_door", endpoint);
}

std::optional<std::string> find_resource_metadata(const Config& config, std::string_view path) {
  if (!path.starts_with(kResourceMetadataPath)) return std::nullopt;
  path.remove_prefix(kResourceMetadataPath.size());
  for (const auto& [name, endpoint] : config.endpoints) {
    const bool is_named = path == endpoint.path || path == url_path(endpoint.resource);
    const bool is_root = path.empty() && endpoint.root_metadata;
    if ((!is_named && !is_root) || !takes_tokens(config, endpoint)) continue;
    // A resource without a path always has its metadata at the root.
    return write_metadata(config, endpoint);
  }
  return std::nullopt;
}

std::string challenge_of(const Config& config, std::string_view endpoint, bool was_refused) {
  std::string challenge = "Bearer";
  const auto found = config.endpoints.find(endpoint);
  if (found == config.endpoints.end() || !takes_tokens(config, found->second)) {
    return challenge;
  }
  if (was_refused) challenge += R"( error="invalid_token",)";
  challenge += R"( resource_metadata=")" + metadata_url(found->second) + '"';
  if (!found->second.scopes.empty()) {
    challenge += R"(, scope=")" + joined(found->second.scopes) + '"';
  }
  return challenge;
}

std::string scope_challenge_of(const EndpointConfig& endpoint,
                               const std::vector<std::string>& scopes) {
  return R"(Bearer error="insufficient_scope", scope=")" + joined(scopes) +
         R"(", resource_metadata=")" + metadata_url(endpoint) +
         R"(", error_description="This call needs more scopes than the token has")";
}

}  // namespace bartizan
