#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_issuer.h"
#include "config/load/load_parts.h"
#include "config/parse_host_port.h"
#include "config/permission.h"

namespace bartizan {
namespace {

constexpr Range kSkew{.min = 0, .max = 600'000};
constexpr Range kLifetime{.min = 60'000, .max = std::int64_t{30} * 86'400'000};
constexpr Range kKeysAge{.min = 60'000, .max = std::int64_t{7} * 86'400'000};
constexpr std::string_view kHowToSpellIssuer =
    "write it as the tokens have it in \"iss\", byte for byte";

std::chrono::seconds seconds_of(std::optional<std::chrono::milliseconds> written,
                                std::chrono::seconds standard) {
  if (!written.has_value()) return standard;
  return std::chrono::duration_cast<std::chrono::seconds>(*written);
}

std::string load_issuer_url(TableReader& table) {
  if (!table.has("issuer")) {
    table.problems().error(table.where(), "an issuer needs \"issuer\"",
                           std::string(kHowToSpellIssuer));
    return {};
  }
  std::string issuer = load_url(table, "issuer");
  if (!issuer.contains('?')) return issuer;
  table.problems().error(table.where("issuer"), "\"issuer\" has a query",
                         std::string(kHowToSpellIssuer));
  return {};
}

std::vector<std::string> load_audiences(TableReader& table) {
  table.refuse_empty("audiences", "write what tokens for this gateway have in \"aud\"");
  if (!table.has("audiences")) {
    table.problems().error(table.where(), "an issuer needs \"audiences\"",
                           "write what tokens for this gateway have in \"aud\": without it, tokens "
                           "for others would be accepted");
  }
  return values(table.texts("audiences"));
}

/// Reports unless exactly one of the two is written.
void check_one_proof(const ProviderClient& client, TableReader& table) {
  const bool has_secret = client.secret.kind != SecretReference::Kind::none;
  const bool has_key = client.key.kind != SecretReference::Kind::none;
  if (has_secret && has_key) {
    table.problems().error(table.where("client_key"),
                           "\"client_secret\" and \"client_key\" are two proofs, and one is sent",
                           "keep one of the two");
  }
  if (!table.has("client_secret") && !table.has("client_key")) {
    table.problems().error(table.where(), "\"client_secret\" or \"client_key\" is needed",
                           "write client_secret = \"env:NAME\", or client_key = \"file:PATH\" of a "
                           "private key in PEM");
  }
  if (client.key.kind == SecretReference::Kind::environment) {
    table.problems().error(table.where("client_key"), "\"client_key\" must be a file",
                           "write \"file:PATH\"");
  }
  if (table.has("key_id") && !has_key) {
    table.problems().error(table.where("key_id"), "\"key_id\" is for \"client_key\"");
  }
}

std::optional<IntrospectionConfig> load_introspection(TableReader& issuer) {
  auto table = issuer.table_of_kind("introspection", "auth.issuer.*.introspection");
  if (!table) return std::nullopt;
  IntrospectionConfig introspection{.url = load_url(*table, "url"),
                                    .client = load_provider_client(*table)};
  constexpr Range kCache{.min = 0,
                         .max = std::chrono::milliseconds(IntrospectionConfig::kCacheMax).count()};
  introspection.cache = seconds_of(table->duration("cache", kCache), introspection.cache);
  for (const std::string_view key : {"jwks_url", "jwks_file", "algorithms"}) {
    if (!issuer.has(key)) continue;
    issuer.problems().error(issuer.where(key),
                            fmt::format("{} says how tokens are read, and with [introspection] "
                                        "only the issuer reads them",
                                        quote(key)),
                            "leave it out");
  }
  table->finish();
  return introspection;
}

std::vector<SignatureAlgorithm> load_algorithms(TableReader& table) {
  table.refuse_empty("algorithms", "leave it out for all that are safe");
  return table.choices<SignatureAlgorithm>("algorithms", kSignatureAlgorithmNames);
}

/// Checks one text of a list.
using CheckText = std::function<void(const Text&)>;

/// Each value a list of texts: `require.tid = ["…"]`.
std::map<std::string, std::vector<std::string>> load_lists(TableReader& of, std::string_view key,
                                                           const std::string& kind,
                                                           const CheckText& check) {
  std::map<std::string, std::vector<std::string>> lists;
  auto table = of.table_of_kind(key, kind);
  if (!table) return lists;
  for (const Text& name : table->keys()) {
    table->refuse_empty(name.value);
    const std::vector<Text> texts = table->texts(name.value);
    std::ranges::for_each(texts, check);
    lists.emplace(name.value, values(texts));
  }
  table->finish();
  return lists;
}

/// `roles."/groups" = { "0d5e…" = ["analyst"] }`.
ClaimMap load_claim_map(TableReader& of, std::string_view key, const std::string& kind,
                        const CheckText& check) {
  ClaimMap map;
  auto table = of.table_of_kind(key, kind);
  if (!table) return map;
  for (const Text& claim : table->keys())
    map.emplace(claim.value, load_lists(*table, claim.value, kind + ".*", check));
  table->finish();
  return map;
}

void check_grant(const Text& permission, Problems& problems) {
  if (is_permission_grant(permission.value)) return;
  problems.error(permission.where, fmt::format("{} is not a permission", quote(permission.value)),
                 R"(write "read:filesystem", or "read:*" for all of that form)");
}

}  // namespace

std::string load_url(TableReader& table, std::string_view key) {
  const auto url = table.text(key);
  if (!url) return {};
  if (is_safe_url(*url) && !url->contains('#')) return *url;
  table.problems().error(
      table.where(key), fmt::format("{} is not a https:// URL: {}", quote(key), quote(*url)),
      "http:// is for 127.0.0.1 and localhost only; leave user names and fragments out");
  return {};
}

bool load_private_networks(TableReader& table) {
  const auto networks = table.text("private_networks");
  if (!networks || *networks == "allow") return networks.has_value();
  table.problems().error(table.where("private_networks"),
                         "\"private_networks\" can only be \"allow\"", "or leave it out");
  return false;
}

ProviderClient load_provider_client(TableReader& table) {
  ProviderClient client{.id = table.text("client_id").value_or(""),
                        .secret = table.secret("client_secret"),
                        .key = table.secret("client_key"),
                        .key_id = table.text("key_id").value_or("")};
  if (!table.has("client_id")) {
    table.problems().error(table.where(), "\"client_id\" is needed",
                           "the gateway is a client there: write the id that it was given");
  }
  check_one_proof(client, table);
  return client;
}

void load_claims(TableReader& table, IssuerConfig& issuer, const Config& config) {
  const std::string& kind = table.kind();
  issuer.jwks_url = load_url(table, "jwks_url");
  issuer.algorithms = load_algorithms(table);
  issuer.require = load_lists(table, "require", kind + ".require", [](const Text&) {});
  issuer.clock_skew = seconds_of(table.duration("clock_skew", kSkew), issuer.clock_skew);
  issuer.principal = table.text("principal").value_or(issuer.principal);
  issuer.roles = load_claim_map(table, "roles", kind + ".roles", [&](const Text& role) {
    check_reference(role, "role", config.roles, table.problems());
  });
  issuer.permissions =
      load_claim_map(table, "permissions", kind + ".permissions",
                     [&](const Text& permission) { check_grant(permission, table.problems()); });
  issuer.attributes = table.text_map("attributes");
  issuer.private_networks = load_private_networks(table);
  issuer.ca_file = table.path("tls_ca").value_or("");
  issuer.keys_max_age = seconds_of(table.duration("keys_max_age", kKeysAge), issuer.keys_max_age);
}

IssuerConfig load_issuer(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "issuer", table.problems());
  IssuerConfig issuer{.name = name.value, .where = name.where};
  issuer.issuer = load_issuer_url(table);
  issuer.audiences = load_audiences(table);
  issuer.audience_claim = table.text("audience_claim").value_or(issuer.audience_claim);
  issuer.jwks_file = table.path("jwks_file").value_or("");
  if (table.has("jwks_url") && table.has("jwks_file")) {
    table.problems().error(table.where("jwks_file"),
                           "keys come from either \"jwks_url\" or \"jwks_file\"");
  }
  if (table.has("access_claims")) issuer.access_claims = values(table.texts("access_claims"));
  issuer.max_lifetime = seconds_of(table.duration("max_lifetime", kLifetime), issuer.max_lifetime);
  load_claims(table, issuer, config);
  issuer.introspection = load_introspection(table);
  table.finish();
  return issuer;
}

}  // namespace bartizan
