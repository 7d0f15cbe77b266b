#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "config/check_name.h"
#include "config/load/load_agent.h"
#include "config/load/load_credentials.h"
#include "config/load/load_flow.h"
#include "config/load/load_parts.h"
#include "config/load/load_sandbox.h"
#include "config/parse_host_port.h"
#include "config/trust.h"

namespace bartizan {
namespace {

using Instances = ServerConfig::Instances;
using Prefix = ServerConfig::Prefix;
using OutputSchema = ServerConfig::OutputSchema;

constexpr std::array<std::pair<std::string_view, Prefix>, 2> kPrefixes{
    {{"always", Prefix::always}, {"never", Prefix::never}}};
constexpr std::array<std::pair<std::string_view, ServerConfig::ResourceUris>, 2> kResourceUris{
    {{"bare", ServerConfig::ResourceUris::bare}, {"named", ServerConfig::ResourceUris::named}}};
constexpr std::array<std::pair<std::string_view, OutputSchema>, 2> kOutputSchemas{
    {{"withhold", OutputSchema::withhold}, {"warn", OutputSchema::warn}}};

constexpr std::array<std::pair<std::string_view, ServerConfig::Errors>, 2> kErrors{
    {{"pass", ServerConfig::Errors::pass}, {"by_trust", ServerConfig::Errors::by_trust}}};
constexpr std::array<std::pair<std::string_view, ServerConfig::FoldedNames>, 2> kFoldedNames{
    {{"refuse", ServerConfig::FoldedNames::refuse},
     {"forward", ServerConfig::FoldedNames::forward}}};

/// The number of processes of one server.
struct InstanceChoice {
  Instances instances = Instances::per_principal;
  std::uint32_t count = 1;
};

InstanceChoice load_instances(TableReader& table) {
  static constexpr std::array<std::pair<std::string_view, Instances>, 3> kInstances{
      {{"per_principal", Instances::per_principal},
       {"per_session", Instances::per_session},
       {"shared", Instances::fixed}}};
  const TomlEntry* entry = table.find("instances");
  if (entry == nullptr) return {};
  if (entry->value.type == TomlValue::Type::integer) {
    const auto count = table.integer("instances", {.min = 1, .max = 1'024});
    return {.instances = Instances::fixed, .count = static_cast<std::uint32_t>(count.value_or(1))};
  }
  return {.instances =
              table.choice<Instances>("instances", kInstances).value_or(Instances::per_principal)};
}

using Protocol = ServerConfig::Protocol;

/// Size of `sun_path` of a Unix socket, without its NUL.
constexpr std::size_t kSocketPathMax = 107;
constexpr std::string_view kUnix = "unix:";

void check_socket_path(TableReader& table, std::string_view path) {
  if (path.starts_with('/') && path.size() <= kSocketPathMax) return;
  table.problems().error(table.where("url"),
                         "\"unix:\" must be followed by an absolute path of 107 bytes at most",
                         "write url = \"unix:/run/server/mcp.sock\"");
}

/// A line protocol needs a host and a port, and nothing else.
void check_tcp_place(TableReader& table, std::string_view url) {
  const std::string_view place = url.substr(url.find("://") + 3);
  if (!place.contains('/') && !place.contains('?') && parse_host_port(place)) return;
  table.problems().error(table.where("url"), fmt::format("{} is not a host and port", quote(url)),
                         "write url = \"tcp://127.0.0.1:7070\"");
}

std::string load_url(TableReader& table, Protocol& protocol) {
  const auto url = table.text("url");
  if (!url) return {};
  if (url->starts_with(kUnix)) {
    protocol = Protocol::unix_socket;
    check_socket_path(table, std::string_view(*url).substr(kUnix.size()));
    return *url;
  }
  const UrlKind kind = parse_url_kind(as_http_url(*url));
  // Credentials in a URL are secret, so it is not printed.
  if (kind == UrlKind::with_credentials) {
    table.problems().error(table.where("url"), "\"url\" must not hold a user name or password",
                           "write credentials = { bearer = \"file:PATH\" }");
    return *url;
  }
  if (url->starts_with("ws://") || url->starts_with("wss://")) protocol = Protocol::web_socket;
  if (url->starts_with("tcp://") || url->starts_with("tls://")) {
    protocol = Protocol::tcp;
    check_tcp_place(table, *url);
  } else if (kind == UrlKind::invalid) {
    table.problems().error(table.where("url"),
                           "\"url\" must be an http://, https://, ws://, wss://, tcp://, tls:// or "
                           "unix: URL without fragment",
                           url->starts_with("sse")
                               ? "write the http:// or https:// URL of its event stream, and "
                                 "transport = \"sse\""
                               : "");
  }
  return *url;
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kHttpTransports{
    {{"http", false}, {"sse", true}}};

/// The protocol at an HTTP URL; otherwise the scheme determines it.
void load_transport(TableReader& table, ServerConfig& server) {
  const auto is_sse = table.choice<bool>("transport", kHttpTransports);
  if (!is_sse.has_value()) return;
  if (server.url.empty() || server.protocol != Protocol::streamable_http) {
    table.problems().error(table.where("transport"),
                           "\"transport\" is for a server with an http:// or https:// \"url\"");
  } else if (*is_sse) {
    server.protocol = Protocol::sse;
  }
}

void check_env_names(TableReader& table, const ServerConfig& server,
                     const std::vector<Text>& allowed) {
  for (const auto& [name, value] : server.env) {
    if (!name.empty() && !name.contains('=') && !name.contains('\0') && !value.contains('\0')) {
      continue;
    }
    table.problems().error(table.where("env"),
                           fmt::format("{} cannot be set in an environment", quote(name)));
  }
  for (const Text& name : allowed) {
    if (!name.value.contains('=')) continue;
    table.problems().error(name.where,
                           fmt::format("{} is not a name of a variable", quote(name.value)));
  }
}

/// Variables whose values the configuration only references.
std::map<std::string, SecretReference> load_env_secrets(TableReader& server,
                                                        const ServerConfig& plain) {
  auto table = server.table("env_secret");
  if (!table) return {};
  std::map<std::string, SecretReference> secrets;
  for (const auto& [name, value] : server.text_map("env_secret")) {
    const Position where = table->where(name);
    if (name.empty() || name.contains('=') || name.contains('\0')) {
      table->problems().error(where,
                              fmt::format("{} cannot be set in an environment", quote(name)));
    }
    if (plain.env.contains(name)) {
      table->problems().error(where, fmt::format("{} stands in \"env\" too", quote(name)));
    }
    secrets.emplace(name, table->secret(name));
  }
  table->finish();
  return secrets;
}

std::optional<BreakerConfig> load_breaker(TableReader& server_table) {
  auto table = server_table.table("breaker");
  if (!table) return std::nullopt;
  BreakerConfig breaker;
  if (const auto failures = table->integer("failures", {.min = 1, .max = 100})) {
    breaker.failures = static_cast<std::uint32_t>(*failures);
  }
  breaker.window =
      table->duration("window", {.min = 1'000, .max = 3'600'000}).value_or(breaker.window);
  breaker.open = table->duration("open", {.min = 1, .max = 3'600'000}).value_or(breaker.open);
  table->finish();
  return breaker;
}

/// A key without a meaning for this kind of server would silently have no effect.
void refuse_keys(TableReader& table, std::initializer_list<std::string_view> keys,
                 std::string_view kind) {
  for (const std::string_view key : keys) {
    if (!table.has(key)) continue;
    table.problems().error(table.where(key), fmt::format("{} has no effect on a server with {}",
                                                         quote(key), quote(kind)));
  }
}

void check_kind(TableReader& table) {
  const bool has_command = table.has("command");
  const bool has_url = table.has("url");
  const bool has_agent = table.has("agent");
  if (int{has_command} + int{has_url} + int{has_agent} != 1) {
    table.problems().error(table.where(),
                           "a server needs exactly one of \"command\", \"url\" and \"agent\"");
    return;
  }
  if (has_command) refuse_keys(table, {"credentials", "headers", "tls_ca"}, "command");
  if (has_url)
    refuse_keys(table,
                {"cwd", "env", "env_allow", "env_secret", "sandbox", "security_profile",
                 "instances", "executables"},
                "url");
  if (has_agent) {
    refuse_keys(table,
                {"credentials", "headers", "tls_ca", "cwd", "env", "env_allow", "env_secret",
                 "sandbox", "security_profile", "instances", "executables", "client_features",
                 "elicitation_urls", "prefix"},
                "agent");
  }
}

/// A protocol without request headers cannot send any.
void check_protocol(TableReader& table, Protocol protocol) {
  if (protocol == Protocol::tcp) refuse_keys(table, {"credentials", "headers"}, "tcp:// or tls://");
  if (protocol == Protocol::unix_socket) {
    refuse_keys(table, {"credentials", "headers", "tls_ca"}, "unix:");
  }
}

/// The named files, each with its approved digest, if there is one.
std::map<std::string, std::string> load_executables(TableReader& table, const std::string& server,
                                                    const PinsConfig& pins) {
  const auto pinned = pins.executables.find(server);
  std::map<std::string, std::string> executables;
  for (const Text& path : table.paths("executables")) {
    std::string& digest = executables[path.value];
    if (pinned == pins.executables.end()) continue;
    const auto approved = pinned->second.find(path.value);
    if (approved != pinned->second.end()) digest = approved->second;
  }
  return executables;
}

void load_elicitation_urls(TableReader& table, ServerConfig& server, const Config& config) {
  const std::optional<std::string> name = table.text("elicitation_urls");
  if (!name.has_value()) return;
  server.elicitation_urls = *name;
  const Position where = table.where("elicitation_urls");
  check_reference({.value = *name, .where = where}, "url", config.urls, table.problems());
  if (allows(server.client_features, ClientFeature::elicitation)) return;
  table.problems().error(where,
                         "\"elicitation_urls\" needs \"elicitation\" in \"client_features\"");
}

void load_high_memory(TableReader& table, ServerConfig& server) {
  server.high_memory = table.size("high_memory", {.min = 1, .max = std::int64_t{1} << 50});
  if (!server.high_memory.has_value() || !server.command.empty()) return;
  table.problems().error(table.where("high_memory"),
                         "\"high_memory\" is of a \"command\": the memory of a server behind a "
                         "\"url\" cannot be seen");
}

ServerConfig load_server(const Text& name, TableReader& table, const Config& config) {
  ServerConfig server{.name = name.value, .where = name.where};
  server.command = load_program(table);
  server.url = load_url(table, server.protocol);
  server.agent = load_agent(table);
  load_transport(table, server);
  check_protocol(table, server.protocol);
  server.cwd = table.path("cwd").value_or("");
  server.env = table.text_map("env");
  const std::vector<Text> allowed = table.texts("env_allow");
  server.env_allow = values(allowed);
  check_env_names(table, server, allowed);
  server.env_secrets = load_env_secrets(table, server);
  const InstanceChoice instances = load_instances(table);
  server.instances = instances.instances;
  server.instance_count = instances.count;
  if (server.agent.has_value()) server.instances = Instances::fixed;
  server.max_in_flight = static_cast<std::uint32_t>(
      table.integer("max_in_flight", {.min = 1, .max = 65'536}).value_or(server.max_in_flight));
  load_security_profile(table, server);
  server.timeout =
      table.duration("timeout", {.min = 1, .max = 86'400'000}).value_or(server.timeout);
  server.slow = table.duration("slow", {.min = 1, .max = 86'400'000});
  load_high_memory(table, server);
  server.breaker = load_breaker(table);
  server.client_features = table.choices<ClientFeature>("client_features", kClientFeatureNames);
  load_elicitation_urls(table, server, config);
  load_sandbox(table, server);
  table.refuse_empty("executables");
  server.executables = load_executables(table, server.name, config.pins);
  load_credentials(table, server);
  load_headers(table, server);
  server.ca_file = table.path("tls_ca").value_or("");
  server.prefix = table.choice<Prefix>("prefix", kPrefixes).value_or(server.prefix);
  server.shown = load_shown(table, server);
  server.resource_uris = table.choice<ServerConfig::ResourceUris>("resource_uris", kResourceUris)
                             .value_or(server.resource_uris);
  server.errors =
      table.choice<ServerConfig::Errors>("server_errors", kErrors).value_or(server.errors);
  server.folded_names = table.choice<ServerConfig::FoldedNames>("folded_names", kFoldedNames)
                            .value_or(server.folded_names);
  server.trust = table.choice<Trust>("trust", kTrustNames).value_or(server.trust);
  server.labels = table.choices<ToolLabel>("labels", kToolLabels);
  server.output_schema =
      table.choice<OutputSchema>("output_schema", kOutputSchemas).value_or(server.output_schema);
  check_kind(table);
  table.finish();
  return server;
}

bool is_strictly_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (folder.ends_with('/') || path[folder.size()] == '/');
}

/// A process that may write to a folder can replace its files by links. At the next start this
/// could widen the list of another server.
void check_nested_lists(const std::map<std::string, ServerConfig, std::less<>>& servers,
                        Problems& problems) {
  const auto writable = [](const SandboxConfig& sandbox) {
    std::vector<std::string> paths = sandbox.write;
    if (!sandbox.home.empty()) paths.push_back(sandbox.home);
    return paths;
  };
  for (const auto& [name, server] : servers) {
    std::vector<std::string> entries = writable(server.sandbox);
    entries.insert(entries.end(), server.sandbox.read.begin(), server.sandbox.read.end());
    for (const auto& [other, writer] : servers) {
      for (const std::string& folder : writable(writer.sandbox)) {
        const auto inner = std::ranges::find_if(
            entries, [&](const std::string& entry) { return is_strictly_below(entry, folder); });
        if (inner == entries.end()) continue;
        problems.error(server.where,
                       fmt::format("the sandbox of {} lists {}, and that of {} may write to {}, "
                                   "where it could be replaced by a link",
                                   quote(name), quote(*inner), quote(other), quote(folder)),
                       "list folders that do not lie in one another");
      }
    }
  }
}

/// A server with access to the gateway's own files could change its state, or read other users'
/// data. Files beside the state file belong to it.
void check_own_files(const std::map<std::string, ServerConfig, std::less<>>& servers,
                     const Config& config, Problems& problems) {
  std::vector<std::pair<std::string_view, std::string>> own{{"the record", config.audit.file}};
  if (config.capture.has_value()) own.emplace_back("the capture", config.capture->file);
  if (config.state.has_value()) {
    for (const std::string_view part : {"", "-wal", "-journal", "-shm"})
      own.emplace_back("the state file", config.state->file + std::string(part));
  }
  for (const auto& [name, server] : servers) {
    const SandboxConfig& sandbox = server.sandbox;
    std::vector<std::string> entries = sandbox.write;
    if (!sandbox.home.empty()) entries.push_back(sandbox.home);
    entries.insert(entries.end(), sandbox.read.begin(), sandbox.read.end());
    std::string_view told;
    for (const auto& [what, file] : own) {
      const auto reached = std::ranges::find_if(entries, [&](const std::string& entry) {
        return file == entry || is_strictly_below(file, entry);
      });
      if (file.empty() || reached == entries.end() || what == told) continue;
      told = what;
      problems.warning(server.where,
                       fmt::format("the sandbox of {} lists {}, and so {} of the gateway",
                                   quote(name), quote(*reached), what),
                       "list folders without it");
    }
  }
}

}  // namespace

/// Arguments of a program may repeat and may be empty, so this is not a list of names.
std::vector<std::string> load_program(TableReader& table) {
  const TomlEntry* entry = table.find("command", TomlValue::Type::array);
  if (entry == nullptr) return {};
  std::vector<std::string> command;
  for (const TomlValue& item : entry->value.items) {
    if (item.type != TomlValue::Type::text || item.text.contains('\0')) {
      table.problems().error(item.where, "\"command\" must hold strings without NUL bytes");
      continue;
    }
    command.push_back(item.text);
  }
  if (entry->value.items.empty() || (!command.empty() && command.front().empty())) {
    table.problems().error(entry->value.where, "\"command\" must begin with a program");
  }
  return command;
}

std::map<std::string, ServerConfig, std::less<>> load_servers(TableReader& root,
                                                              const Config& config) {
  std::map<std::string, ServerConfig, std::less<>> servers;
  for (auto& [name, table] : root.named_tables("server")) {
    check_server_name(name, root.problems());
    servers.emplace(name.value, load_server(name, table, config));
  }
  check_shown(servers, root.problems());
  check_nested_lists(servers, root.problems());
  check_own_files(servers, config, root.problems());
  return servers;
}

}  // namespace bartizan
