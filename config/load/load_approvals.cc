#include "config/load/load_approvals.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "config/check_name.h"
#include "config/load/load_issuer.h"
#include "config/load/load_parts.h"

namespace bartizan {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
/// An approval valid for weeks would be a permit in disguise.
constexpr Range kValidForMs{.min = 1000, .max = 7 * kDayMs};
constexpr Range kExpiresMs{.min = 1000, .max = 7 * kDayMs};
/// Clients give up after a minute.
constexpr Range kWaitMs{.min = 0, .max = 45'000};
constexpr Range kApprovals{.min = 1, .max = 16};

ApprovalKeyConfig load_key(const Text& name, TableReader& table, const Config& config) {
  check_name(name, "approvals key", table.problems());
  ApprovalKeyConfig key{.name = name.value, .where = name.where};
  key.file = table.path("file").value_or("");
  key.principal = table.text("principal").value_or("");
  for (const std::string_view needed : {"file", "principal"}) {
    if (table.has(needed)) continue;
    table.problems().error(name.where, fmt::format("a key of approvals needs {}", quote(needed)));
  }
  if (!key.principal.empty()) {
    check_reference({.value = key.principal, .where = table.where("principal")}, "principal",
                    config.principals, table.problems());
  }
  table.finish();
  return key;
}

ApprovalWebhookConfig load_webhook(TableReader& table) {
  ApprovalWebhookConfig webhook;
  webhook.where = table.where();
  webhook.url = load_url(table, "url");
  webhook.secret = table.secret("secret");
  webhook.ca_file = table.path("tls_ca").value_or("");
  for (const std::string_view needed : {"url", "secret"}) {
    if (table.has(needed)) continue;
    table.problems().error(webhook.where, fmt::format("a webhook needs {}", quote(needed)));
  }
  table.finish();
  return webhook;
}

}  // namespace

ApprovalTerms load_approval_terms(TableReader& table, Effect effect, const Config& config) {
  ApprovalTerms terms;
  const std::vector<Text> approvers = table.texts("approvers");
  for (const Text& role : approvers)
    check_reference(role, "role", config.roles, table.problems());
  terms.approvers = values(approvers);
  // The principals of an issuer are not known here.
  const std::vector<Text> principals = table.texts("approver_principals");
  for (const Text& principal : principals) {
    if (principal.value.contains(':')) continue;
    check_reference(principal, "principal", config.principals, table.problems());
  }
  terms.principals = values(principals);
  terms.approvals =
      static_cast<std::uint32_t>(table.integer("approvals", kApprovals).value_or(terms.approvals));
  terms.self_approval = table.boolean("self_approval").value_or(terms.self_approval);
  if (const auto valid_for = table.duration("valid_for", kValidForMs))
    terms.valid_for = std::chrono::floor<std::chrono::seconds>(*valid_for);
  constexpr std::array<std::string_view, 5> kKeys{"approvers", "approver_principals", "approvals",
                                                  "self_approval", "valid_for"};
  for (const std::string_view key : kKeys) {
    if (!table.has(key) || effect == Effect::require_approval) continue;
    table.problems().error(
        table.where(key),
        fmt::format("{} is for {}s with effect = \"require_approval\"", quote(key),
                    table.kind().starts_with("flow") ? "flow" : "rule"));
  }
  return terms;
}

ApprovalsConfig load_approvals(TableReader& root, const Config& config) {
  ApprovalsConfig approvals;
  auto table = root.table("approvals");
  if (!table) return approvals;
  approvals.where = table->where();
  approvals.wait = table->duration("wait", kWaitMs).value_or(approvals.wait);
  if (const auto expires = table->duration("expires", kExpiresMs))
    approvals.expires = std::chrono::floor<std::chrono::seconds>(*expires);
  approvals.url = load_url(*table, "url");
  while (approvals.url.ends_with('/'))
    approvals.url.pop_back();
  approvals.signing_key = table->secret("signing_key");
  approvals.previous_key = table->secret("previous_key");
  if (table->has("previous_key") && !table->has("signing_key")) {
    table->problems().error(table->where("previous_key"),
                            "\"previous_key\" says that \"signing_key\" follows it, and there is "
                            "no \"signing_key\"");
  }
  for (auto& [name, key] : table->named_tables("key"))
    approvals.keys.emplace(name.value, load_key(name, key, config));
  if (auto webhook = table->table("webhook")) approvals.webhook = load_webhook(*webhook);
  table->finish();
  return approvals;
}

}  // namespace bartizan
