#pragma once

#include <optional>
#include <vector>

#include "config/config.h"
#include "config/rule_files.h"
#include "config/schema_files.h"
#include "config/table_reader.h"

namespace bartizan {

// One function for each top-level table. It reads the table from the root, reports problems, and
// returns the defaults if the table is absent. Functions with a `Config` check names against the
// tables that were loaded before, in the order of these lines.

/// Checks `version = 1`, the first key of every file of the gateway.
void check_version(TableReader& root);

ListenConfig load_listen(TableReader& root);
/// `path` of a table: absolute and plain. Nothing if it is absent or was reported.
std::optional<std::string> load_mcp_path(TableReader& table);
MetricsConfig load_metrics(TableReader& root);
std::optional<AdminConfig> load_admin(TableReader& root);
ProcessConfig load_process(TableReader& root);
SessionConfig load_session(TableReader& root);
ClientConfig load_client(TableReader& root);
/// Needs `exports`.
AuditConfig load_audit(TableReader& root, const Config& config);
std::optional<CaptureConfig> load_capture(TableReader& root);
/// Needs `principals`.
ApprovalsConfig load_approvals(TableReader& root, const Config& config);
std::optional<StateConfig> load_state(TableReader& root, const Config& config);
LogConfig load_log(TableReader& root);

std::map<std::string, RoleConfig, std::less<>> load_roles(TableReader& root);
std::map<std::string, PrincipalConfig, std::less<>> load_principals(TableReader& root,
                                                                    const Config& config);
/// `[auth.issuer.NAME]`. Needs `roles`.
IssuerConfig load_issuer(const Text& name, TableReader& table, const Config& config);
/// `[auth.front_door.NAME]`. Needs `roles`.
FrontDoorConfig load_front_door(const Text& name, TableReader& table, const Config& config);
/// Alternative names of certificates, each with its type.
std::vector<std::string> load_certificate_names(TableReader& table, std::string_view key);
/// Needs `listen`, `roles` and `principals`.
AuthConfig load_auth(TableReader& root, const Config& config);
/// Needs `listen`, `metrics`, `roles`, `principals` and `auth`.
std::optional<ConsoleConfig> load_console(TableReader& root, const Config& config);

/// `command`: a program and its arguments. Empty if it is absent or was reported.
std::vector<std::string> load_program(TableReader& table);

/// `lock` has the bytes of the lock file, or nothing if that was reported.
PinsConfig load_pins(TableReader& root, const std::optional<std::string>& lock);
/// Needs `urls` and `pins`.
std::map<std::string, ServerConfig, std::less<>> load_servers(TableReader& root,
                                                              const Config& config);
/// `shown` of a server: a valid prefix of names. Empty if it is absent or was reported. Needs
/// `prefix` of the server.
std::string load_shown(TableReader& table, const ServerConfig& server);
/// Reports servers whose names, or shown prefixes, clients could confuse.
void check_shown(const std::map<std::string, ServerConfig, std::less<>>& servers,
                 Problems& problems);
std::map<std::string, PathConfig, std::less<>> load_paths(TableReader& root);
std::map<std::string, UrlConfig, std::less<>> load_urls(TableReader& root);
std::map<std::string, CommandConfig, std::less<>> load_commands(TableReader& root);
std::map<std::string, SqlConfig, std::less<>> load_sqls(TableReader& root);
/// Needs `servers`, `paths`, `urls`, `commands`, `sqls` and `roles`.
std::vector<ToolProfile> load_tools(TableReader& root, const Config& config,
                                    const SchemaFiles& schemas);

/// Needs `listen`, `auth` and `servers`.
EndpointConfigs load_endpoints(TableReader& root, const Config& config);

/// Needs `listen`, `principals`, `auth` and `endpoints`.
SocketConfigs load_sockets(TableReader& root, const Config& config);
/// Those sockets that authenticate whoever connects.
std::vector<SocketPeersConfig> socket_peers(const SocketConfigs& sockets);
/// `address` of a listener. Nothing if it is absent or was reported.
std::optional<HostPort> load_address(TableReader& table);
/// `tls` of a listener.
std::optional<TlsConfig> load_tls(TableReader& table);
/// `handshake` of an endpoint or of `[client]`: whether it is implied.
bool load_implied_handshake(TableReader& table);

PolicySettings load_policy(TableReader& root);
/// Needs `servers`, `roles` and `principals`.
std::map<std::string, RuleConfig, std::less<>> load_rules(TableReader& root, const Config& config);
/// Needs `servers`, `roles` and `principals`.
std::map<std::string, FlowConfig, std::less<>> load_flows(TableReader& root, const Config& config);
/// Needs `servers` and `roles`.
std::map<std::string, DetectorConfig, std::less<>> load_detectors(TableReader& root,
                                                                  const RuleFiles& files);
std::map<std::string, RedactionConfig, std::less<>> load_redactions(TableReader& root,
                                                                    const Config& config);
/// Needs `servers` and `roles`.
std::map<std::string, SanitisingConfig, std::less<>> load_sanitisings(TableReader& root,
                                                                      const Config& config);
std::map<std::string, LimitConfig, std::less<>> load_limits(TableReader& root,
                                                            const Config& config);

}  // namespace bartizan
