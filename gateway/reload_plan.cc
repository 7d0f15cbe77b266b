#include "gateway/reload_plan.h"

#include <tuple>

#include "gateway/server_definition.h"
#include "policy/same_view.h"

namespace bartizan {
namespace {

bool is_same(const Endpoint& one, const Endpoint& other) {
  return std::tie(one.host, one.port) == std::tie(other.host, other.port);
}

bool is_same(const SecretReference& one, const SecretReference& other) {
  return std::tie(one.kind, one.name) == std::tie(other.kind, other.name);
}

std::string socket_of(const Config& config) {
  return config.admin.has_value() ? config.admin->socket : std::string();
}

/// The keys that differ and that a running process cannot change. Where the record goes is among
/// them: one that silently moves elsewhere could hide what was done before. So is the key of its
/// digests: within one chain, equal arguments have equal digests.
std::vector<std::string> restart_keys(const Config& running, const Config& wanted) {
  std::vector<std::string> keys;
  const auto check = [&keys](bool is_kept, const char* key) {
    if (!is_kept) keys.emplace_back(key);
  };
  check(is_same(running.listen.address, wanted.listen.address), "listen.address");
  check(is_same(running.metrics.address, wanted.metrics.address), "metrics.address");
  check(socket_of(running) == socket_of(wanted), "admin.socket");
  check(running.process.workers == wanted.process.workers, "process.workers");
  check(running.audit.file == wanted.audit.file, "audit.file");
  check(running.auth.stdio_principal == wanted.auth.stdio_principal, "auth.stdio.principal");
  check(is_same(running.audit.digest_key, wanted.audit.digest_key), "audit.digest_key");
  return keys;
}

std::string listed(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    if (!text.empty()) text += ", ";
    text += '"' + key + '"';
  }
  return text;
}

void compare_rules(const Config& running, const Config& wanted, ReloadPlan& plan) {
  for (const auto& [name, rule] : running.rules) {
    const auto kept = wanted.rules.find(name);
    if (kept == wanted.rules.end()) {
      plan.rules_removed.push_back(name);
    } else if (!is_same_rule(rule, kept->second)) {
      plan.rules_changed.push_back(name);
    }
  }
  for (const auto& [name, rule] : wanted.rules) {
    if (!running.rules.contains(name)) plan.rules_added.push_back(name);
  }
}

}  // namespace

Result<ReloadPlan> plan_reload(const Config& running, const Config& wanted) {
  const std::vector<std::string> keys = restart_keys(running, wanted);
  if (!keys.empty()) {
    return fail(ErrorCode::config_invalid, Fault::client,
                "a change of " + listed(keys) + " needs a restart; nothing was changed");
  }
  ReloadPlan plan;
  for (const auto& [name, server] : running.servers) {
    const auto kept = wanted.servers.find(name);
    if (kept == wanted.servers.end()) {
      plan.removed.push_back(name);
    } else if (!has_same_instances(server, kept->second)) {
      plan.changed.push_back(name);
    }
  }
  for (const auto& [name, server] : wanted.servers) {
    if (!running.servers.contains(name)) plan.added.push_back(name);
  }
  compare_rules(running, wanted, plan);
  for (const auto& [id, principal] : running.principals) {
    if (!wanted.principals.contains(id)) plan.gone_principals.push_back(id);
  }
  return plan;
}

}  // namespace bartizan
