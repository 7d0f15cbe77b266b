#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/problems.h"
#include "config/scope_name.h"

namespace bartizan {
namespace {

/// Below it are the documents that clients read before they sign in.
constexpr std::string_view kWellKnown = "/.well-known";

/// Reports a name of `auth` that is neither a kind of credential nor one of `[auth]`.
void check_credential(const Text& name, const AuthConfig& auth, Problems& problems) {
  std::vector<std::string> known{"api_key", "issuer", "front_door", "certificate", "socket"};
  for (const ApiKeyConfig& key : auth.api_keys)
    known.push_back("api_key." + key.name);
  for (const IssuerConfig& issuer : auth.issuers)
    known.push_back("issuer." + issuer.name);
  for (const FrontDoorConfig& door : auth.front_doors)
    known.push_back("front_door." + door.name);
  for (const CertificateConfig& certificate : auth.certificates)
    known.push_back("certificate." + certificate.name);
  if (std::ranges::find(known, name.value) != known.end()) return;
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string hint = hint_near(name.value, names);
  if (hint.empty())
    hint = "write \"api_key\" or \"issuer\" for all of a kind, or \"issuer.NAME\" for one";
  problems.error(name.where, fmt::format("there is no credential {} in [auth]", quote(name.value)),
                 std::move(hint));
}

std::vector<std::string> load_credentials(TableReader& table, const AuthConfig& auth) {
  table.refuse_empty("auth", "leave it out to accept everything that [auth] has");
  const std::vector<Text> names = table.texts("auth");
  if (!names.empty() && auth.mode == AuthConfig::Mode::none) {
    table.problems().error(table.where("auth"), "auth mode \"none\" would ignore \"auth\"");
    return {};
  }
  for (const Text& name : names)
    check_credential(name, auth, table.problems());
  return values(names);
}

std::vector<std::string> load_view_servers(TableReader& table, const Config& config) {
  table.refuse_empty("servers", "leave it out to show all servers");
  const std::vector<Text> servers = table.texts("servers");
  for (const Text& server : servers)
    check_reference(server, "server", config.servers, table.problems());
  return values(servers);
}

std::vector<std::string> load_view_tools(TableReader& table, const EndpointConfig& endpoint,
                                         const Config& config) {
  table.refuse_empty("tools", "leave it out to show all tools");
  const std::vector<Text> tools = table.texts("tools");
  for (const Text& tool : tools) {
    check_pattern(tool, find_tool_pattern_fault(tool.value), config.servers, table.problems());
    const std::string_view server = server_segment(tool.value);
    const bool is_left_out = !endpoint.servers.empty() && is_literal(server) &&
                             std::ranges::find(endpoint.servers, server) == endpoint.servers.end();
    if (!is_left_out) continue;
    table.problems().error(
        tool.where,
        fmt::format("the server {} is not in \"servers\" of this endpoint", quote(server)));
  }
  return values(tools);
}

void check_path(const EndpointConfig& endpoint, TableReader& table, const EndpointConfigs& others) {
  const Position where = table.where("path");
  if (endpoint.path.empty()) {
    if (!table.has("path")) table.problems().error(where, "an endpoint needs \"path\"");
    return;
  }
  if (endpoint.path.starts_with(kWellKnown)) {
    table.problems().error(where, "paths below \"/.well-known\" are not for endpoints");
  }
  for (const auto& [name, other] : others) {
    if (other.path != endpoint.path) continue;
    table.problems().error(where, fmt::format("the endpoints {} and {} have the same \"path\"",
                                              quote(name), quote(endpoint.name)));
  }
}

std::string load_resource(TableReader& table) {
  const auto resource = table.text("resource");
  if (!resource) return {};
  const UrlKind kind = parse_url_kind(*resource);
  const bool is_url = kind == UrlKind::https || kind == UrlKind::http;
  if (is_url && !resource->contains('#') && !resource->contains('?')) return *resource;
  table.problems().error(table.where("resource"),
                         fmt::format("\"resource\" is not a URL: {}", quote(*resource)),
                         "write the URL at which clients reach the endpoint, such as "
                         "\"https://gateway.example.com/mcp\", without query and fragment");
  return {};
}

/// Clients first request the scopes of an endpoint. A front door that lacks one of them would
/// refuse all.
void check_scopes(const EndpointConfig& endpoint, const AuthConfig& auth, TableReader& table) {
  for (const FrontDoorConfig& door : auth.front_doors) {
    const auto names = [&endpoint](std::string_view one) {
      return std::ranges::find(endpoint.auth, one) != endpoint.auth.end();
    };
    const bool is_taken =
        endpoint.auth.empty() || names("front_door") || names("front_door." + door.name);
    if (!is_taken || door.scopes.empty()) continue;
    std::vector<std::string_view> known;
    known.reserve(door.scopes.size());
    for (const auto& [scope, roles] : door.scopes)
      known.push_back(scope);
    for (const Text& scope : table.texts("scopes")) {
      if (door.scopes.contains(scope.value)) continue;
      table.problems().error(scope.where,
                             fmt::format("{} is not a scope of [auth.front_door.{}.scopes]",
                                         quote(scope.value), door.name),
                             hint_near(scope.value, known));
    }
  }
}

std::vector<std::string> load_scopes(TableReader& table) {
  const std::vector<Text> scopes = table.texts("scopes");
  for (const Text& scope : scopes) {
    if (is_scope(scope.value)) continue;
    table.problems().error(scope.where, fmt::format("{} is not a scope", quote(scope.value)),
                           "a scope has neither blanks nor quotes");
  }
  return values(scopes);
}

/// Reports keys that are only useful where users sign in.
void check_sign_in(const EndpointConfig& endpoint, TableReader& table, const AuthConfig& auth) {
  const bool takes_tokens =
      (!auth.issuers.empty() || !auth.front_doors.empty()) &&
      (endpoint.auth.empty() || std::ranges::any_of(endpoint.auth, [](std::string_view name) {
         return name.starts_with("issuer") || name.starts_with("front_door");
       }));
  for (const std::string_view key : {"scopes", "root_metadata"}) {
    if (!table.has(key) || (takes_tokens && !endpoint.resource.empty())) continue;
    table.problems().error(table.where(key),
                           fmt::format("{} is for endpoints with \"resource\" that take tokens of "
                                       "an issuer or a front door",
                                       quote(key)));
  }
}

/// Clients that find metadata at the root sign in, even if they have a key.
void check_root_metadata(const EndpointConfigs& endpoints, const AuthConfig& auth,
                         Problems& problems) {
  const auto takes_keys = [&auth](const EndpointConfig& endpoint) {
    return !auth.api_keys.empty() &&
           (endpoint.auth.empty() || std::ranges::any_of(endpoint.auth, [](std::string_view name) {
              return name.starts_with("api_key");
            }));
  };
  // The metadata of a resource without a path is always at the root.
  const auto is_at_root = [](const EndpointConfig& endpoint) {
    return endpoint.root_metadata ||
           (!endpoint.resource.empty() && url_path(endpoint.resource).empty());
  };
  const EndpointConfig* first = nullptr;
  for (const auto& [name, endpoint] : endpoints) {
    if (!is_at_root(endpoint)) continue;
    if (first != nullptr) {
      problems.error(endpoint.where,
                     fmt::format("the endpoints {} and {} both have their metadata at the root",
                                 quote(first->name), quote(name)));
    }
    first = &endpoint;
  }
  if (first == nullptr) return;
  for (const auto& [name, endpoint] : endpoints) {
    if (!takes_keys(endpoint)) continue;
    problems.error(first->where,
                   fmt::format("metadata at the root would make clients with a key for {} sign in",
                               quote(name)),
                   "leave \"root_metadata\" out, and give \"resource\" a path");
  }
}

/// Metadata is served at the path of a resource, so the path must be unique.
void check_resources(const EndpointConfigs& endpoints, Problems& problems) {
  for (const auto& [name, endpoint] : endpoints) {
    if (endpoint.resource.empty()) continue;
    for (const auto& [other_name, other] : endpoints) {
      const bool is_same_path =
          url_path(endpoint.resource) == other.path ||
          (!other.resource.empty() && url_path(endpoint.resource) == url_path(other.resource));
      if (other_name == name || !is_same_path) continue;
      problems.error(endpoint.where,
                     fmt::format("the path of \"resource\" of {} is that of the endpoint {}",
                                 quote(name), quote(other_name)),
                     "clients would find the metadata of the wrong one");
      break;
    }
  }
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kDiscoveries{
    {{"list", false}, {"search", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kCertificates{
    {{"optional", false}, {"required", true}}};

using Protocol = EndpointConfig::Protocol;

constexpr std::array<std::pair<std::string_view, Protocol>, 3> kProtocols{
    {{"mcp", Protocol::mcp},
     {"groundhog", Protocol::groundhog},
     {"fabricore", Protocol::fabricore}}};

/// `registrars`: only Groundhog has a message for registrations.
void load_registrars(TableReader& table, const Config& config, EndpointConfig& endpoint) {
  table.refuse_empty("registrars", "leave it out where nobody may register tools");
  const std::vector<Text> registrars = table.texts("registrars");
  for (const Text& role : registrars)
    check_reference(role, "role", config.roles, table.problems());
  endpoint.registrars = values(registrars);
  if (registrars.empty()) return;
  if (endpoint.protocol != Protocol::groundhog) {
    table.problems().error(table.where("registrars"),
                           "\"registrars\" is for endpoints with protocol = \"groundhog\"",
                           "other clients register no tools");
  } else if (!config.state.has_value()) {
    table.problems().error(table.where("registrars"),
                           "registered tools need [state]: they outlive the process",
                           "write [state] with file = \"state.db\"");
  }
}

/// The keys that an endpoint of another protocol than MCP requires or cannot use.
void load_protocol(TableReader& table, const Config& config, EndpointConfig& endpoint) {
  endpoint.protocol = table.choice<Protocol>("protocol", kProtocols).value_or(Protocol::mcp);
  load_registrars(table, config, endpoint);
  if (endpoint.protocol == Protocol::mcp) return;
  const std::string_view spoken =
      endpoint.protocol == Protocol::groundhog ? "Groundhog" : "Fabricore";
  Problems& problems = table.problems();
  if (!config.listen.web_socket) {
    problems.error(table.where("protocol"), fmt::format("{} needs WebSockets", spoken),
                   "write web_socket = true in [listen]");
  }
  for (const std::string_view key : {"handshake", "discovery"}) {
    if (!table.has(key)) continue;
    problems.error(
        table.where(key),
        fmt::format("{} is for clients of MCP, and this endpoint speaks {}", quote(key), spoken));
  }
}

bool load_certificate_need(TableReader& table, const Config& config) {
  const bool is_needed = table.choice<bool>("certificate", kCertificates).value_or(false);
  const bool asks = config.listen.tls.has_value() && !config.listen.tls->client_ca.empty();
  if (is_needed && !asks) {
    table.problems().error(table.where("certificate"), "no client is asked for a certificate",
                           "write client_ca in [listen] tls");
  }
  return is_needed;
}

/// An opaque token does not name its issuer, so at most one issuer can be asked.
void check_introspection(const EndpointConfig& endpoint, const AuthConfig& auth,
                         TableReader& table) {
  const Position where = table.has("auth") ? table.where("auth") : endpoint.where;
  const auto takes = [&endpoint](const IssuerConfig& issuer) {
    return endpoint.auth.empty() ||
           std::ranges::any_of(endpoint.auth, [&issuer](std::string_view name) {
             return name == "issuer" || name == "issuer." + issuer.name;
           });
  };
  const IssuerConfig* first = nullptr;
  for (const IssuerConfig& issuer : auth.issuers) {
    if (!issuer.introspection.has_value() || !takes(issuer)) continue;
    if (first != nullptr) {
      table.problems().error(
          where,
          fmt::format("both {} and {} would be asked about a token of this endpoint",
                      quote(first->name), quote(issuer.name)),
          "auth = [\"issuer.NAME\"] names the one with [introspection] whose tokens it takes");
    }
    first = &issuer;
  }
}

EndpointConfig load_endpoint(const Text& name, TableReader& table, const Config& config,
                             const EndpointConfigs& others) {
  check_name(name, "endpoint", table.problems());
  EndpointConfig endpoint{.name = name.value, .where = name.where};
  endpoint.path = load_mcp_path(table).value_or("");
  check_path(endpoint, table, others);
  endpoint.auth = load_credentials(table, config.auth);
  endpoint.servers = load_view_servers(table, config);
  endpoint.tools = load_view_tools(table, endpoint, config);
  endpoint.resource = load_resource(table);
  endpoint.scopes = load_scopes(table);
  endpoint.root_metadata = table.boolean("root_metadata").value_or(false);
  endpoint.needs_certificate = load_certificate_need(table, config);
  endpoint.is_searched = table.choice<bool>("discovery", kDiscoveries).value_or(false);
  endpoint.implies_handshake = load_implied_handshake(table);
  load_protocol(table, config, endpoint);
  check_sign_in(endpoint, table, config.auth);
  check_scopes(endpoint, config.auth, table);
  check_introspection(endpoint, config.auth, table);
  table.finish();
  return endpoint;
}

/// A front door's path cannot be an MCP endpoint, and some endpoint must accept its tokens.
void check_front_doors(const Config& config, const EndpointConfigs& endpoints, Problems& problems) {
  for (const FrontDoorConfig& door : config.auth.front_doors) {
    if (!config.state.has_value()) {
      problems.error(door.where, "a front door needs [state]: sign-ins outlive the process there",
                     "write [state] with file = \"state.db\"");
    }
    bool is_used = false;
    for (const auto& [name, endpoint] : endpoints) {
      const auto names = [&endpoint](std::string_view one) {
        return std::ranges::find(endpoint.auth, one) != endpoint.auth.end();
      };
      is_used |= !endpoint.resource.empty() &&
                 (endpoint.auth.empty() || names("front_door") || names("front_door." + door.name));
      const bool is_below = endpoint.path.starts_with(door.path + "/");
      if (door.path.empty() || (endpoint.path != door.path && !is_below)) continue;
      problems.error(endpoint.where,
                     fmt::format("the path of the endpoint {} is that of the front door {}",
                                 quote(name), quote(door.name)));
    }
    if (is_used) continue;
    problems.error(door.where, "no endpoint takes tokens of this front door",
                   fmt::format("write auth = [\"front_door.{}\"] and \"resource\" in an "
                               "[endpoint.NAME]",
                               door.name));
  }
}

}  // namespace

EndpointConfigs load_endpoints(TableReader& root, const Config& config) {
  EndpointConfigs endpoints;
  for (auto& [name, table] : root.named_tables("endpoint"))
    endpoints.emplace(name.value, load_endpoint(name, table, config, endpoints));
  check_root_metadata(endpoints, config.auth, root.problems());
  check_resources(endpoints, root.problems());
  check_front_doors(config, endpoints, root.problems());
  // Without endpoints, the one of `[listen] path` accepts everything.
  if (endpoints.empty()) check_introspection({.where = config.auth.where}, config.auth, root);
  if (!endpoints.empty() && config.listen.has_path) {
    root.problems().error(config.listen.where,
                          "[listen] \"path\" would not be served beside [endpoint.NAME] tables",
                          "give one of the endpoints that path, and take it out of [listen]");
  }
  return endpoints;
}

}  // namespace bartizan
