#include <fmt/format.h>

#include <array>

#include "config/check_name.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/permission.h"
#include "config/trust.h"
#include "schemas/json/json_text.h"

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

/// With two keys of one digest, their order would decide which principal calls.
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

/// The order of issuers must not decide whose token it is.
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

/// An alternative name with its type: `dns:`, `uri:` or `email:`.
bool is_certificate_name(std::string_view name) {
  const auto has = [name](std::string_view type) {
    return name.starts_with(type) && name.size() > type.size();
  };
  return (has("dns:") || has("uri:") || has("email:")) && !name.contains('*') &&
         !has_control_character(name);
}

CertificateConfig load_certificate(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "certificate", table.problems());
  CertificateConfig certificate{.name = name.value, .where = name.where};
  certificate.principal = table.text("principal").value_or("");
  if (!certificate.principal.empty()) {
    check_reference({certificate.principal, table.where("principal")}, "principal",
                    config.principals, table.problems());
  }
  certificate.names = load_certificate_names(table, "names");
  table.refuse_empty("names", "write the alternative names of the certificate");
  for (const std::string_view needed : {"principal", "names"}) {
    if (table.has(needed)) continue;
    table.problems().error(name.where, fmt::format("a certificate needs {}", quote(needed)));
  }
  table.finish();
  return certificate;
}

/// If one name stood for two principals, their order would decide who calls.
void check_certificates(const std::vector<CertificateConfig>& certificates, Problems& problems) {
  std::map<std::string_view, std::string_view> seen;
  for (const CertificateConfig& certificate : certificates) {
    for (const std::string& name : certificate.names) {
      const auto [first, is_new] = seen.emplace(name, certificate.name);
      if (is_new || first->second == certificate.name) continue;
      problems.error(certificate.where,
                     fmt::format("the certificates {} and {} have the same name {}",
                                 quote(first->second), quote(certificate.name), quote(name)));
    }
  }
}

/// Front doors and issuers share the names of principals. Each front door has its own path.
void check_front_doors(const AuthConfig& auth, Problems& problems) {
  std::map<std::string_view, std::string_view> paths;
  for (const FrontDoorConfig& door : auth.front_doors) {
    const bool is_issuer =
        std::ranges::find(auth.issuers, door.name, &IssuerConfig::name) != auth.issuers.end();
    if (is_issuer) {
      problems.error(door.where,
                     fmt::format("there is an issuer {}, too: both would name principals \"{}:…\"",
                                 quote(door.name), door.name),
                     "give the front door another name");
    }
    if (door.path.empty()) continue;
    const auto [first, is_new] = paths.emplace(door.path, door.name);
    if (is_new) continue;
    problems.error(door.where,
                   fmt::format("the front doors {} and {} have \"issuer\" with the same path",
                               quote(first->second), quote(door.name)));
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
  for (const std::string_view key : {"front_door", "certificate"}) {
    if (!table.has(key)) continue;
    table.problems().error(table.where(key),
                           fmt::format("auth mode \"none\" would ignore {}", quote(key)));
  }
  table.problems().warning(where, "auth mode \"none\": every program on this machine may call");
}

/// The principal of the local user, or empty.
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

std::vector<std::string> load_certificate_names(TableReader& table, std::string_view key) {
  const std::vector<Text> names = table.texts(key);
  for (const Text& name : names) {
    if (is_certificate_name(name.value)) continue;
    table.problems().error(
        name.where,
        fmt::format("{} is not an alternative name of a certificate", quote(name.value)),
        R"(write "dns:HOST", "uri:spiffe://DOMAIN/PATH" or "email:ADDRESS", no wildcard)");
  }
  return values(names);
}

std::map<std::string, RoleConfig, std::less<>> load_roles(TableReader& root) {
  std::map<std::string, RoleConfig, std::less<>> roles;
  for (auto& [name, table] : root.named_tables("role")) {
    check_name(name, "role", root.problems());
    RoleConfig role{.name = name.value, .where = name.where};
    const std::vector<Text> permissions = table.texts("permissions");
    for (const Text& permission : permissions) {
      if (is_permission_grant(permission.value)) continue;
      root.problems().error(permission.where,
                            fmt::format("{} is not a permission", quote(permission.value)),
                            R"(write "read:filesystem", or "read:*" for all of that form)");
    }
    role.permissions = values(permissions);
    role.trust = table.choice<Trust>("trust", kTrustNames);
    table.refuse_empty("allowed_resources", "leave it out where rules say what the role may read");
    role.allowed_resources = values(table.texts("allowed_resources"));
    table.finish();
    roles.emplace(name.value, std::move(role));
  }
  return roles;
}

namespace {

/// Each identity belongs to one person. Otherwise one person could approve twice.
void check_identities(const std::map<std::string, PrincipalConfig, std::less<>>& principals,
                      Problems& problems) {
  std::map<std::string_view, std::string_view> persons;
  for (const auto& [id, principal] : principals) {
    if (!principal.identities.has_value()) continue;
    for (const std::string& identity : *principal.identities) {
      // The principals of an issuer are not known here.
      if (!identity.contains(':')) {
        check_reference({.value = identity, .where = principal.where}, "principal", principals,
                        problems);
      }
      const auto other = principals.find(identity);
      if (identity == id) {
        problems.error(principal.where,
                       fmt::format("{} is one of its own \"identities\"", quote(id)));
      } else if (other != principals.end() && other->second.identities.has_value()) {
        problems.error(principal.where,
                       fmt::format("{} is one of the \"identities\" of {}, and has some itself",
                                   quote(identity), quote(id)),
                       "write them all at one principal");
      }
      const auto [found, is_new] = persons.emplace(identity, id);
      if (is_new) continue;
      problems.error(principal.where,
                     fmt::format("{} is one of the \"identities\" of {} and of {}", quote(identity),
                                 quote(found->second), quote(id)));
    }
  }
}

}  // namespace

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
    if (table.has("identities")) principal.identities = values(table.texts("identities"));
    // The gateway's own traffic is recorded under this name.
    if (name.value == "gateway") {
      root.problems().error(name.where, "\"gateway\" is the principal of the gateway itself");
    }
    table.finish();
    principals.emplace(name.value, std::move(principal));
  }
  check_identities(principals, root.problems());
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
  for (auto& [name, door] : table->named_tables("front_door"))
    auth.front_doors.push_back(load_front_door(name, door, config));
  check_front_doors(auth, root.problems());
  for (auto& [name, certificate] : table->named_tables("certificate"))
    auth.certificates.push_back(load_certificate(name, certificate, config));
  check_certificates(auth.certificates, root.problems());
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
