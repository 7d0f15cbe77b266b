#include <fmt/format.h>

#include <array>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/permission.h"
#include "config/trust.h"

namespace bartizan {
namespace {

using Mode = AuthConfig::Mode;

constexpr std::array<std::pair<std::string_view, Mode>, 2> kModes{
    {{"required", Mode::required}, {"none", Mode::none}}};

std::string load_sha256(TableReader& table) {
  const auto digest = table.text("sha256");
  if (digest && is_sha256(*digest)) return *digest;
  if (digest) {
    table.problems().error(table.where("sha256"),
                           "\"sha256\" must be 64 lower-case hexadecimal digits",
                           "printf %s \"$KEY\" | sha256sum");
  }
  return {};
}

ApiKeyConfig load_api_key(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "API key", table.problems());
  ApiKeyConfig key{.name = name.value, .where = name.where};
  key.principal = table.text("principal").value_or("");
  if (!key.principal.empty()) {
    check_reference({key.principal, table.where("principal")}, "principal", config.principals,
                    table.problems());
  }
  key.sha256 = load_sha256(table);
  key.expires = table.date("expires");
  for (const std::string_view needed : {"principal", "sha256"}) {
    if (table.has(needed)) continue;
    table.problems().error(name.where, fmt::format("an API key needs {}", quote(needed)));
  }
  table.finish();
  return key;
}

/// Two keys of one digest would make it a matter of order which principal calls.
void check_distinct(const std::vector<ApiKeyConfig>& keys, Problems& problems) {
  std::map<std::string_view, std::string_view> seen;
  for (const ApiKeyConfig& key : keys) {
    if (key.sha256.empty()) continue;
    const auto [first, is_new] = seen.emplace(key.sha256, key.name);
    if (is_new) continue;
    problems.error(key.where, fmt::format("API keys {} and {} have the same \"sha256\"",
                                          quote(first->second), quote(key.name)));
  }
}

/// Whose tokens are whose must be no matter of order.
void check_issuers(const std::vector<IssuerConfig>& issuers, Problems& problems) {
  std::map<std::string_view, std::string_view> seen;
  for (const IssuerConfig& issuer : issuers) {
    if (issuer.issuer.empty()) continue;
    const auto [first, is_new] = seen.emplace(issuer.issuer, issuer.name);
    if (is_new) continue;
    problems.error(issuer.where, fmt::format("the issuers {} and {} have the same \"issuer\"",
                                             quote(first->second), quote(issuer.name)));
  }
}

void check_mode_none(const AuthConfig& auth, TableReader& table, const Config& config) {
  const Position where = table.where("mode");
  if (!is_loopback(config.listen.address.host)) {
    table.problems().error(where, "auth mode \"none\" is possible on a loopback address only");
  }
  if (auth.principal.empty()) {
    table.problems().error(where, "auth mode \"none\" needs \"principal\": who everyone is");
  }
  if (!auth.api_keys.empty()) {
    table.problems().error(table.where("api_key"), "auth mode \"none\" would ignore the API keys");
  }
  if (!auth.issuers.empty()) {
    table.problems().error(table.where("issuer"), "auth mode \"none\" would ignore the issuers");
  }
  table.problems().warning(where, "auth mode \"none\": every program on this machine may call");
}

/// Who the local user is, or nobody.
std::string load_stdio(TableReader& auth, const Config& config) {
  auto table = auth.table("stdio");
  if (!table) return {};
  const std::string principal = table->text("principal").value_or("");
  if (!table->has("principal")) {
    table->problems().error(table->where(),
                            "auth.stdio needs \"principal\": who the local user is");
  }
  if (!principal.empty()) {
    check_reference({principal, table->where("principal")}, "principal", config.principals,
                    table->problems());
  }
  table->finish();
  return principal;
}

}  // namespace

std::map<std::string, RoleConfig, std::less<>> load_roles(TableReader& root) {
  std::map<std::string, RoleConfig, std::less<>> roles;
  for (auto& [name, table] : root.named_tables("role")) {
    check_name(name, "role", root.problems());
    RoleConfig role{.name = name.value, .where = name.where};
    const std::vector<Text> permissions = table.texts("permissions");
    for (const Text& permission : permissions) {
      if (is_permission_grant(permission.value)) continue;
      root.problems().error(permission.where,
                            fmt::format("{} is no permission", quote(permission.value)),
                            R"(write "read:filesystem", or "read:*" for all of that form)");
    }
    role.permissions = values(permissions);
    role.trust = table.choice<Trust>("trust", kTrustNames).value_or(role.trust);
    table.finish();
    roles.emplace(name.value, std::move(role));
  }
  return roles;
}

std::map<std::string, PrincipalConfig, std::less<>> load_principals(TableReader& root,
                                                                    const Config& config) {
  std::map<std::string, PrincipalConfig, std::less<>> principals;
  for (auto& [name, table] : root.named_tables("principal")) {
    check_name(name, "principal", root.problems());
    PrincipalConfig principal{.id = name.value, .where = name.where};
    const std::vector<Text> roles = table.texts("roles");
    for (const Text& role : roles)
      check_reference(role, "role", config.roles, root.problems());
    principal.roles = values(roles);
    principal.attributes = table.text_map("attributes");
    // The gateway's own traffic is recorded under this name.
    if (name.value == "gateway") {
      root.problems().error(name.where, "\"gateway\" is the principal of the gateway itself");
    }
    table.finish();
    principals.emplace(name.value, std::move(principal));
  }
  return principals;
}

AuthConfig load_auth(TableReader& root, const Config& config) {
  AuthConfig auth;
  auto table = root.table("auth");
  if (!table) return auth;
  auth.where = table->where();
  auth.mode = table->choice<Mode>("mode", kModes).value_or(auth.mode);
  auth.principal = table->text("principal").value_or("");
  for (auto& [name, key] : table->named_tables("api_key")) {
    auth.api_keys.push_back(load_api_key(name, key, config));
  }
  check_distinct(auth.api_keys, root.problems());
  for (auto& [name, issuer] : table->named_tables("issuer"))
    auth.issuers.push_back(load_issuer(name, issuer, config));
  check_issuers(auth.issuers, root.problems());
  auth.stdio_principal = load_stdio(*table, config);
  if (!auth.principal.empty()) {
    check_reference({auth.principal, table->where("principal")}, "principal", config.principals,
                    root.problems());
  }
  if (auth.mode == Mode::none) check_mode_none(auth, *table, config);
  if (auth.mode == Mode::required && table->has("principal")) {
    root.problems().error(table->where("principal"),
                          "\"principal\" needs auth mode \"none\": here, API keys say who calls");
  }
  table->finish();
  return auth;
}

}  // namespace bartizan
