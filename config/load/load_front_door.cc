#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_issuer.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/redirect_uri.h"
#include "config/scope_name.h"

namespace bartizan {
namespace {

constexpr Range kAccessLifetime{.min = 60'000, .max = 86'400'000};
constexpr Range kSignInLifetime{.min = 600'000, .max = std::int64_t{365} * 86'400'000};
constexpr Range kConsent{.min = 0, .max = std::int64_t{365} * 86'400'000};

std::chrono::seconds load_seconds(TableReader& table, std::string_view key, Range range,
                                  std::chrono::seconds standard) {
  const auto written = table.duration(key, range);
  if (!written.has_value()) return standard;
  return std::chrono::duration_cast<std::chrono::seconds>(*written);
}

void load_front_door_issuer(TableReader& table, FrontDoorConfig& door) {
  constexpr std::string_view kHint =
      "write the URL at which clients reach it, such as \"https://gateway.example.com/sign-in\"";
  if (!table.has("issuer")) {
    table.problems().error(table.where(), "a front door needs \"issuer\"", std::string(kHint));
    return;
  }
  door.issuer = load_url(table, "issuer");
  if (door.issuer.empty()) return;
  door.path = url_path(door.issuer);
  const bool is_plain = door.path.find_first_of("?#%\\ ") == std::string::npos &&
                        !door.path.contains("//") && !door.path.contains("/.");
  // Browsers send the origin of a form in one spelling only.
  const std::string_view origin =
      std::string_view(door.issuer).substr(0, door.issuer.find('/', door.issuer.find("://") + 3));
  const bool has_capitals =
      std::ranges::any_of(origin, [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool has_default_port = (origin.starts_with("https:") && origin.ends_with(":443")) ||
                                (origin.starts_with("http:") && origin.ends_with(":80"));
  if (has_capitals || has_default_port) {
    table.problems().error(
        table.where("issuer"),
        fmt::format("\"issuer\" is not spelled as browsers spell it: {}", quote(door.issuer)),
        "write the host in lower case, and leave out a port that is understood");
  }
  if (door.path.empty() || door.issuer.ends_with('/') || !is_plain) {
    table.problems().error(table.where("issuer"),
                           fmt::format("\"issuer\" needs a plain path without a slash at its end, "
                                       "which {} has not",
                                       quote(door.issuer)),
                           std::string(kHint));
  }
}

std::vector<std::string> load_redirects(TableReader& table) {
  const std::vector<Text> uris = table.texts("redirect_uris");
  for (const Text& uri : uris) {
    const std::string_view fault = find_redirect_fault(uri.value);
    if (fault.empty()) continue;
    table.problems().error(uri.where, fmt::format("{} {}", quote(uri.value), fault),
                           "write it as the client sends it: \"https://…\", "
                           "\"http://127.0.0.1/callback\" for any port there, or a scheme of its "
                           "own with a dot or a host, such as \"cursor://anysphere.cursor-mcp/x\"");
  }
  return values(uris);
}

std::vector<FrontDoorClientConfig> load_clients(TableReader& of) {
  std::vector<FrontDoorClientConfig> clients;
  for (auto& [id, table] : of.named_tables("client")) {
    check_name(id, "client", of.problems());
    FrontDoorClientConfig client{.id = id.value, .where = id.where};
    client.name = table.text("name").value_or("");
    table.refuse_empty("redirect_uris", "write where the client is sent back to");
    client.redirect_uris = load_redirects(table);
    if (!table.has("redirect_uris")) {
      table.problems().error(id.where, "a client needs \"redirect_uris\"",
                             "write where it is sent back to");
    }
    table.finish();
    clients.push_back(std::move(client));
  }
  return clients;
}

std::map<std::string, std::vector<std::string>> load_scopes(TableReader& of, const Config& config) {
  std::map<std::string, std::vector<std::string>> scopes;
  auto table = of.table_of_kind("scopes", "auth.front_door.*.scopes");
  if (!table) return scopes;
  for (const Text& scope : table->keys()) {
    if (!is_scope(scope.value)) {
      table->problems().error(scope.where, fmt::format("{} is not a scope", quote(scope.value)),
                              "a scope has neither blanks nor quotes");
    }
    const std::vector<Text> roles = table->texts(scope.value);
    for (const Text& role : roles)
      check_reference(role, "role", config.roles, table->problems());
    scopes.emplace(scope.value, values(roles));
  }
  table->finish();
  return scopes;
}

/// A provider without OpenID Connect has no metadata with its endpoints.
void check_provider_urls(const FrontDoorConfig& door, TableReader& table) {
  if (!door.provider.issuer.empty() || table.has("issuer")) return;
  for (const std::string_view key : {"authorize_url", "token_url", "user_url"}) {
    if (table.has(key)) continue;
    table.problems().error(table.where(),
                           fmt::format("a provider without \"issuer\" needs {}", quote(key)),
                           "write \"issuer\" for one that speaks OpenID Connect");
  }
}

void load_provider(TableReader& of, FrontDoorConfig& door, const Config& config) {
  auto table = of.table_of_kind("provider", "auth.front_door.*.provider");
  if (!table) {
    of.problems().error(of.where(), "a front door needs a \"provider\"",
                        "write where users sign in, as [auth.front_door.NAME.provider]");
    return;
  }
  IssuerConfig& provider = door.provider;
  provider.name = door.name;
  provider.where = table->where();
  provider.issuer = load_url(*table, "issuer");
  door.client = load_provider_client(*table);
  provider.audiences = {door.client.id};
  door.authorize_url = load_url(*table, "authorize_url");
  door.token_url = load_url(*table, "token_url");
  door.user_url = load_url(*table, "user_url");
  check_provider_urls(door, *table);
  if (table->has("scopes")) {
    const std::vector<Text> scopes = table->texts("scopes");
    for (const Text& scope : scopes) {
      if (is_scope(scope.value)) continue;
      table->problems().error(scope.where, fmt::format("{} is not a scope", quote(scope.value)),
                              "a scope has neither blanks nor quotes");
    }
    door.provider_scopes = values(scopes);
  } else if (provider.issuer.empty()) {
    door.provider_scopes.clear();
  }
  const auto asks_openid = std::ranges::find(door.provider_scopes, "openid");
  if (!provider.issuer.empty() && asks_openid == door.provider_scopes.end()) {
    table->problems().error(table->where("scopes"), "\"scopes\" lacks \"openid\"",
                            "without it the provider sends no ID token, which says who signed in");
  }
  load_claims(*table, provider, config);
  table->finish();
}

}  // namespace

FrontDoorConfig load_front_door(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "front door", table.problems());
  FrontDoorConfig door{.name = name.value, .where = name.where};
  load_front_door_issuer(table, door);
  load_provider(table, door, config);
  door.scopes = load_scopes(table, config);
  door.clients = load_clients(table);
  if (table.has("redirect_uris")) door.redirect_uris = load_redirects(table);
  door.metadata_documents = table.boolean("metadata_documents").value_or(door.metadata_documents);
  door.registration = table.boolean("registration").value_or(door.registration);
  door.private_networks = load_private_networks(table);
  door.ca_file = table.path("tls_ca").value_or("");
  door.access_token_lifetime =
      load_seconds(table, "access_token_lifetime", kAccessLifetime, door.access_token_lifetime);
  door.sign_in_lifetime =
      load_seconds(table, "sign_in_lifetime", kSignInLifetime, door.sign_in_lifetime);
  door.remember_consent = load_seconds(table, "remember_consent", kConsent, door.remember_consent);
  table.finish();
  return door;
}

}  // namespace bartizan
