#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_export.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"

namespace bartizan {
namespace {

constexpr Range kSecondToDay{.min = 1'000, .max = 86'400'000};

}  // namespace

std::optional<HostPort> load_address(TableReader& table) {
  const auto text = table.text("address");
  if (!text) return std::nullopt;
  auto address = parse_host_port(*text);
  if (!address) {
    table.problems().error(table.where("address"),
                           fmt::format("\"address\" is not an address and port: {}", quote(*text)),
                           "write \"127.0.0.1:8080\" or \"[::1]:8080\"");
  }
  return address;
}

std::optional<std::string> load_mcp_path(TableReader& table) {
  auto path = table.text("path");
  if (!path) return std::nullopt;
  const bool is_plain = path->starts_with('/') &&
                        path->find_first_of("?#%\\ \t\r\n") == std::string::npos &&
                        !path->contains("//") && !path->contains("/.");
  if (is_plain) return path;
  table.problems().error(
      table.where("path"),
      fmt::format("\"path\" must be a plain absolute path such as \"/mcp\", not {}", quote(*path)));
  return std::nullopt;
}

namespace {

std::vector<std::string> load_hosts(TableReader& table) {
  const std::vector<Text> hosts = table.texts("allowed_hosts");
  for (const Text& host : hosts) {
    if (is_host(host.value)) continue;
    table.problems().error(
        host.where, fmt::format("{} is not a host, with or without a port", quote(host.value)),
        "write each host out: there are no wildcards here");
  }
  return values(hosts);
}

std::vector<std::string> load_origins(TableReader& table) {
  const std::vector<Text> origins = table.texts("allowed_origins");
  for (const Text& origin : origins) {
    if (is_origin(origin.value)) continue;
    table.problems().error(origin.where, fmt::format("{} is not an origin", quote(origin.value)),
                           "write \"https://host\" or \"https://host:port\" and nothing after it");
  }
  return values(origins);
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kVersions{
    {{"1.2", false}, {"1.3", true}}};

/// The authorities of client certificates. Only for listeners of clients.
void load_client_certificates(TableReader& table, TlsConfig& tls) {
  tls.client_ca = table.path("client_ca").value_or("");
  tls.client_crl = table.path("client_crl").value_or("");
  if (table.has("client_crl") && !table.has("client_ca")) {
    table.problems().error(table.where("client_crl"), "\"client_crl\" needs \"client_ca\"",
                           "write the authorities whose certificates clients may show");
  }
}

}  // namespace

std::optional<TlsConfig> load_tls(TableReader& listen) {
  auto table = listen.table("tls");
  if (!table) return std::nullopt;
  TlsConfig tls{.cert = table->path("cert").value_or(""), .key = table->secret("key")};
  tls.is_1_3_only = table->choice<bool>("min_version", kVersions).value_or(false);
  if (table->kind() != "console.tls") load_client_certificates(*table, tls);
  for (const std::string_view key : {"cert", "key"}) {
    if (table->has(key)) continue;
    table->problems().error(table->where(), fmt::format("tls needs {}", quote(key)));
  }
  if (tls.key.kind == SecretReference::Kind::environment) {
    table->problems().error(table->where("key"), "\"key\" must be a file", "write \"file:PATH\"");
  }
  table->finish();
  return tls;
}

namespace {

constexpr std::array<std::pair<std::string_view, bool>, 1> kProxyProtocols{{{"v2", true}}};

/// Anybody who reaches the listener could send this header and pose as anybody. So the proxy must
/// authenticate itself, even on loopback, which every local process can use.
void check_certificate_header(const ListenConfig& listen, TableReader& table) {
  const bool is_told = listen.proxies.certificate_header != ProxyConfig::CertificateHeader::none;
  if (is_told == table.has("certificate_proxies")) {
    const bool asks = listen.tls.has_value() && !listen.tls->client_ca.empty();
    if (!is_told || asks) return;
    table.problems().error(table.where("certificate_header"),
                           "\"certificate_header\" needs a proxy that proves itself over TLS",
                           "write client_ca in tls");
    return;
  }
  table.problems().error(
      table.where(is_told ? "certificate_header" : "certificate_proxies"),
      "\"certificate_header\" and \"certificate_proxies\" belong together",
      "certificate_proxies = [\"dns:proxy.internal\"] names the certificates of proxies");
}

ProxyConfig load_proxies(TableReader& table) {
  using Header = ProxyConfig::CertificateHeader;
  static constexpr std::array<std::pair<std::string_view, Header>, 2> kHeaders{
      {{"Client-Cert", Header::client_cert}, {"X-SSL-Client-Cert", Header::escaped_pem}}};
  ProxyConfig proxies;
  table.refuse_empty("trusted_proxies", "leave it out where there is no proxy");
  proxies.networks = values(table.texts("trusted_proxies"));
  proxies.has_protocol_header =
      table.choice<bool>("proxy_protocol", kProxyProtocols).value_or(false);
  if (proxies.has_protocol_header && !table.has("trusted_proxies")) {
    table.problems().error(table.where("proxy_protocol"),
                           "\"proxy_protocol\" needs \"trusted_proxies\"",
                           "whoever else connects could claim any address");
  }
  proxies.certificate_header =
      table.choice<Header>("certificate_header", kHeaders).value_or(Header::none);
  table.refuse_empty("certificate_proxies");
  proxies.certificates = load_certificate_names(table, "certificate_proxies");
  return proxies;
}

/// A listener beyond this machine must declare how calls are protected, and its host names. Without
/// the names, DNS rebinding works.
void check_exposure(const ListenConfig& listen, TableReader& table) {
  if (is_loopback(listen.address.host)) return;
  const Position where = table.where("address");
  if (!listen.tls && !listen.plaintext_on_trusted_network) {
    table.problems().error(
        where, "\"address\" is not a loopback address and there is no \"tls\"",
        "add tls, or plaintext = \"trusted-network\" if others protect the network");
  }
  if (listen.allowed_hosts.empty()) {
    table.problems().error(where,
                           "\"address\" is not a loopback address and needs \"allowed_hosts\"");
  }
}

/// The console cannot opt out of TLS, unlike clients with `plaintext`. An eavesdropper would get
/// the key of an operator.
void check_console_exposure(const ConsoleConfig& console, TableReader& table) {
  if (is_loopback(console.address.host)) return;
  const Position where = table.where("address");
  if (!console.tls) {
    table.problems().error(where, "\"address\" is not a loopback address and there is no \"tls\"",
                           "add tls = { cert = \"PATH\", key = \"file:PATH\" }, or write address = "
                           "\"127.0.0.1:9301\"");
  }
  if (console.allowed_hosts.empty()) {
    table.problems().error(where,
                           "\"address\" is not a loopback address and needs "
                           "\"allowed_hosts\": the names that browsers ask for");
  }
}

void check_own_address(const ConsoleConfig& console, TableReader& table, const Config& config) {
  const auto is_same = [&console](const HostPort& other) {
    return console.address.port != 0 && console.address.port == other.port &&
           console.address.host == other.host;
  };
  for (const auto& [name, address] : {std::pair("[listen]", config.listen.address),
                                      std::pair("[metrics]", config.metrics.address)}) {
    if (!is_same(address)) continue;
    table.problems().error(table.where("address"), fmt::format("\"address\" is that of {}", name),
                           "give the console a port of its own, such as \"127.0.0.1:9301\"");
  }
}

/// Whether anybody could sign in.
void check_operators(const ConsoleConfig& console, const Config& config, Problems& problems) {
  if (config.auth.mode == AuthConfig::Mode::none) {
    return problems.error(console.where,
                          "auth mode \"none\" has no keys, so nobody could sign in to the console",
                          "take the console out, or give people keys");
  }
  const auto is_operator = [&](const ApiKeyConfig& key) {
    const auto principal = config.principals.find(key.principal);
    return principal != config.principals.end() &&
           std::ranges::any_of(principal->second.roles, [&console](const std::string& role) {
             return std::ranges::find(console.roles, role) != console.roles.end();
           });
  };
  // The users of a provider are not known here.
  if (!config.auth.front_doors.empty()) return;
  if (config.auth.api_keys.empty()) {
    problems.error(console.where,
                   "there is no API key and no front door, so nobody could sign in to the console",
                   "bartizan key new NAME --principal P makes a key");
  } else if (!console.roles.empty() && std::ranges::none_of(config.auth.api_keys, is_operator)) {
    problems.warning(
        console.where,
        "nobody can sign in to the console: no principal with one of its \"roles\" has "
        "an API key");
  }
}

void add_loopback_names(ListenConfig& listen) {
  if (!is_loopback(listen.address.host)) return;
  for (const std::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    listen.allowed_hosts.emplace_back(name);
    listen.allowed_origins.push_back(fmt::format("http://{}", name));
    listen.allowed_origins.push_back(fmt::format("https://{}", name));
  }
}

constexpr std::array<std::pair<std::string_view, bool>, 1> kPlaintext{{{"trusted-network", true}}};

}  // namespace

ListenConfig load_listen(TableReader& root) {
  ListenConfig listen;
  if (auto table = root.table("listen")) {
    listen.where = table->where();
    listen.address = load_address(*table).value_or(listen.address);
    listen.has_path = table->has("path");
    listen.path = load_mcp_path(*table).value_or(listen.path);
    listen.allowed_hosts = load_hosts(*table);
    listen.allowed_origins = load_origins(*table);
    listen.tls = load_tls(*table);
    listen.plaintext_on_trusted_network =
        table->choice<bool>("plaintext", kPlaintext).value_or(false);
    listen.sse = table->boolean("sse").value_or(false);
    listen.web_socket = table->boolean("web_socket").value_or(false);
    listen.proxies = load_proxies(*table);
    check_certificate_header(listen, *table);
    check_exposure(listen, *table);
    table->finish();
  }
  add_loopback_names(listen);
  return listen;
}

MetricsConfig load_metrics(TableReader& root) {
  MetricsConfig metrics;
  auto table = root.table("metrics");
  if (!table) return metrics;
  metrics.where = table->where();
  metrics.address = load_address(*table).value_or(metrics.address);
  metrics.allowed_hosts = load_hosts(*table);
  table->finish();
  return metrics;
}

std::optional<AdminConfig> load_admin(TableReader& root) {
  auto table = root.table("admin");
  if (!table) return std::nullopt;
  AdminConfig admin{.socket = table->path("socket").value_or(""), .where = table->where()};
  if (!table->has("socket")) table->problems().error(admin.where, "admin needs \"socket\"");
  // sun_path of a Unix socket holds 108 bytes with its NUL.
  if (admin.socket.size() > 107) {
    table->problems().error(table->where("socket"), "\"socket\" is longer than 107 bytes");
  }
  table->finish();
  return admin;
}

std::optional<ConsoleConfig> load_console(TableReader& root, const Config& config) {
  auto table = root.table("console");
  if (!table) return std::nullopt;
  ConsoleConfig console;
  console.where = table->where();
  console.address = load_address(*table).value_or(console.address);
  const std::vector<Text> roles = table->texts("roles");
  for (const Text& role : roles)
    check_reference(role, "role", config.roles, table->problems());
  console.roles = values(roles);
  constexpr std::string_view kRolesHint = "write roles = [\"ROLE\"]: whose principals may sign in";
  table->refuse_empty("roles", std::string(kRolesHint));
  if (!table->has("roles")) {
    table->problems().error(console.where, "console needs \"roles\"", std::string(kRolesHint));
  }
  console.allowed_hosts = load_hosts(*table);
  console.allowed_origins = load_origins(*table);
  console.tls = load_tls(*table);
  check_console_exposure(console, *table);
  check_own_address(console, *table, config);
  check_operators(console, config, table->problems());
  table->finish();
  return console;
}

ProcessConfig load_process(TableReader& root) {
  using Reload = ProcessConfig::Reload;
  static constexpr std::array<std::pair<std::string_view, Reload>, 2> kReloads{
      {{"watch", Reload::watch}, {"signal", Reload::signal}}};
  ProcessConfig process;
  auto table = root.table("process");
  if (!table) return process;
  process.where = table->where();
  process.workers =
      static_cast<std::uint32_t>(table->integer("workers", {.min = 0, .max = 1'024}).value_or(0));
  process.memory_max =
      table->size("memory_max", {.min = std::int64_t{64} << 20, .max = std::int64_t{1} << 40})
          .value_or(process.memory_max);
  process.drain = table->duration("drain", {.min = 0, .max = 3'600'000}).value_or(process.drain);
  process.start_wait = table->duration("start_wait", {.min = 0, .max = 300'000});
  process.reload = table->choice<Reload>("reload", kReloads).value_or(process.reload);
  table->finish();
  return process;
}

ClientConfig load_client(TableReader& root) {
  using NullMembers = ClientConfig::NullMembers;
  static constexpr std::array<std::pair<std::string_view, NullMembers>, 2> kNullMembers{
      {{"remove", NullMembers::remove}, {"refuse", NullMembers::refuse}}};
  ClientConfig client;
  auto table = root.table("client");
  if (!table) return client;
  client.where = table->where();
  client.null_members =
      table->choice<NullMembers>("null_members", kNullMembers).value_or(client.null_members);
  client.implies_handshake = load_implied_handshake(*table);
  client.answers_only = table->boolean("answers_only").value_or(client.answers_only);
  table->finish();
  return client;
}

SessionConfig load_session(TableReader& root) {
  SessionConfig session;
  auto table = root.table("session");
  if (!table) return session;
  session.where = table->where();
  session.authentication_timeout = table->duration("authentication_timeout", kSecondToDay)
                                       .value_or(session.authentication_timeout);
  const Range life{.min = 1'000, .max = std::int64_t{365} * 86'400'000};
  session.session_timeout =
      table->duration("session_timeout", life).value_or(session.session_timeout);
  session.idle = table->duration("idle", life).value_or(session.idle);
  session.max_concurrent_sessions = static_cast<std::uint32_t>(
      table->integer("max_concurrent_sessions", {.min = 1, .max = 1'000'000})
          .value_or(session.max_concurrent_sessions));
  session.max_concurrent =
      static_cast<std::uint32_t>(table->integer("max_concurrent", {.min = 1, .max = 1'000'000})
                                     .value_or(session.max_concurrent));
  if (table->has("idle") && session.idle > session.session_timeout) {
    table->problems().warning(
        table->where("idle"),
        "\"idle\" is longer than \"session_timeout\" and never ends a session");
  }
  table->finish();
  return session;
}

namespace {

// Rotation is on by default: otherwise the record would fill its disk, which ends every call. The
// default size is small enough to move and large enough for few files.
void load_rotation(TableReader& table, AuditConfig& audit) {
  auto rotate = table.table("rotate");
  if (!rotate) return;
  const Range size{.min = 4'096, .max = std::int64_t{1} << 40};
  const Range age{.min = 1'000, .max = std::int64_t{3650} * 86'400'000};
  audit.rotate_size = rotate->size("size", size).value_or(audit.rotate_size);
  audit.rotate_age = rotate->duration("age", age).value_or(audit.rotate_age);
  rotate->finish();
}

}  // namespace

AuditConfig load_audit(TableReader& root, const Config& config) {
  using Durability = AuditConfig::Durability;
  static constexpr std::array<std::pair<std::string_view, Durability>, 3> kDurabilities{
      {{"kernel", Durability::kernel}, {"disk", Durability::disk}, {"async", Durability::async}}};
  AuditConfig audit;
  auto table = root.table("audit");
  if (!table) {
    if (!root.has("audit"))
      root.problems().error(root.where(), "[audit] with \"file\" is required");
    return audit;
  }
  audit.where = table->where();
  audit.file = table->path("file").value_or("");
  if (!table->has("file")) table->problems().error(audit.where, "audit needs \"file\"");
  audit.durability =
      table->choice<Durability>("durability", kDurabilities).value_or(audit.durability);
  if (audit.durability == Durability::async) {
    table->problems().warning(table->where("durability"),
                              "\"async\" lets calls take effect before their record is kept");
  }
  audit.digest_key = table->secret("digest_key");
  load_rotation(*table, audit);
  // A shorter value is more likely a wrong unit, and removed files cannot be restored.
  audit.retention =
      table->duration("retention", {.min = 3'600'000, .max = std::int64_t{3650} * 86'400'000});
  if (table->has("instance")) {
    audit.instance = table->text("instance").value_or("");
    const Text name{.value = audit.instance, .where = table->where("instance")};
    if (!name.value.empty()) check_name(name, "instance", table->problems());
  }
  audit.heads = load_signed_heads(*table, config.exports);
  table->finish();
  return audit;
}

std::optional<CaptureConfig> load_capture(TableReader& root) {
  auto table = root.table("capture");
  if (!table) return std::nullopt;
  CaptureConfig capture;
  capture.where = table->where();
  capture.file = table->path("file").value_or("");
  if (!table->has("file")) table->problems().error(capture.where, "capture needs \"file\"");
  // Two files of half the size. A call that does not fit into one, with its tool's definition, is
  // counted and not kept.
  constexpr Range size{.min = 64 << 10, .max = std::int64_t{4} << 30};
  constexpr Range age{.min = 60'000, .max = std::int64_t{3650} * 86'400'000};
  capture.max_size = table->size("max_size", size).value_or(capture.max_size);
  capture.max_age = table->duration("max_age", age).value_or(capture.max_age);
  table->finish();
  return capture;
}

std::optional<StateConfig> load_state(TableReader& root, const Config& config) {
  auto table = root.table("state");
  if (!table) return std::nullopt;
  StateConfig state;
  state.where = table->where();
  state.file = table->path("file").value_or("");
  if (!table->has("file")) table->problems().error(state.where, "state needs \"file\"");
  const bool is_record = !state.file.empty() && state.file == config.audit.file;
  const bool is_capture = config.capture.has_value() && state.file == config.capture->file;
  if (is_record || is_capture) {
    table->problems().error(
        table->where("file"),
        fmt::format("the state file is the file of [{}], too", is_record ? "audit" : "capture"),
        "name a file of its own, such as state.db");
  }
  table->finish();
  return state;
}

}  // namespace bartizan
