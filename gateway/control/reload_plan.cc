#include "gateway/control/reload_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "config/same_entry.h"
#include "gateway/upstream/server_definition.h"

namespace bartizan {
namespace {

bool is_same(const HostPort& one, const HostPort& other) {
  return std::tie(one.host, one.port) == std::tie(other.host, other.port);
}

bool is_same(const SecretReference& one, const SecretReference& other) {
  return std::tie(one.kind, one.name) == std::tie(other.kind, other.name);
}

std::string socket_of(const Config& config) {
  return config.admin.has_value() ? config.admin->socket : std::string();
}

std::optional<HostPort> console_of(const Config& config) {
  if (!config.console.has_value()) return std::nullopt;
  return config.console->address;
}

bool is_same(const std::optional<HostPort>& one, const std::optional<HostPort>& other) {
  if (!one.has_value() || !other.has_value()) return one.has_value() == other.has_value();
  return is_same(*one, *other);
}

bool is_same(const ApprovalsConfig& one, const ApprovalsConfig& other) {
  const auto parts = [](const ApprovalsConfig& approvals) {
    std::string keys;
    for (const auto& [name, key] : approvals.keys)
      keys += name + '\n' + key.file + '\n' + key.principal + '\n';
    const ApprovalWebhookConfig hook = approvals.webhook.value_or(ApprovalWebhookConfig());
    return std::tuple(approvals.wait, approvals.expires, approvals.url, keys, hook.url,
                      hook.ca_file, hook.secret.kind, hook.secret.name);
  };
  return parts(one) == parts(other) && is_same(one.signing_key, other.signing_key) &&
         is_same(one.previous_key, other.previous_key);
}

std::string state_of(const Config& config) {
  return config.state.has_value() ? config.state->file : std::string();
}

/// The keys of sockets that differ: where they listen, and for whom.
std::vector<std::string> socket_keys(const SocketConfigs& running, const SocketConfigs& wanted) {
  std::vector<std::string> keys;
  for (const auto& [name, socket] : running) {
    const std::string table = "socket." + name;
    const auto found = wanted.find(name);
    if (found == wanted.end()) {
      keys.push_back(table);
      continue;
    }
    const SocketConfig& other = found->second;
    if (socket.path != other.path) keys.push_back(table + ".path");
    if (!is_same(socket.address, other.address)) keys.push_back(table + ".address");
    if (socket.open_to != other.open_to) keys.push_back(table + ".open_to");
    if (socket.tls.has_value() != other.tls.has_value()) keys.push_back(table + ".tls");
  }
  for (const auto& [name, socket] : wanted) {
    if (!running.contains(name)) keys.push_back("socket." + name);
  }
  return keys;
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
  check(is_same(console_of(running), console_of(wanted)), "console.address");
  std::ranges::move(socket_keys(running.sockets, wanted.sockets), std::back_inserter(keys));
  check(running.process.workers == wanted.process.workers, "process.workers");
  check(running.audit.file == wanted.audit.file, "audit.file");
  check(state_of(running) == state_of(wanted), "state.file");
  check(running.auth.stdio_principal == wanted.auth.stdio_principal, "auth.stdio.principal");
  check(running.client.answers_only == wanted.client.answers_only, "client.answers_only");
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

template <class Entry>
using Entries = std::map<std::string, Entry, std::less<>>;

/// The entries of a list of the configuration, by their names.
template <class Entry>
Entries<Entry> by_name(const std::vector<Entry>& list, std::string Entry::* name) {
  Entries<Entry> entries;
  for (const Entry& entry : list)
    entries.emplace(entry.*name, entry);
  return entries;
}

template <class Entry, class Same>
NameChanges compare(std::string_view kind, const Entries<Entry>& running,
                    const Entries<Entry>& wanted, Same is_same_entry) {
  NameChanges changes{.kind = kind};
  for (const auto& [name, entry] : running) {
    const auto kept = wanted.find(name);
    if (kept == wanted.end()) {
      changes.removed.push_back(name);
    } else if (!is_same_entry(entry, kept->second)) {
      changes.changed.push_back(name);
    }
  }
  for (const auto& [name, entry] : wanted) {
    if (!running.contains(name)) changes.added.push_back(name);
  }
  return changes;
}

constexpr auto kSameEntry = [](const auto& one, const auto& other) { return is_same(one, other); };

std::vector<std::string> changed_settings(const Config& running_whole, const Config& wanted_whole) {
  const PolicySettings& running = running_whole.policy;
  const PolicySettings& wanted = wanted_whole.policy;
  std::vector<std::string> changed;
  const auto capture_of = [](const Config& config) {
    const CaptureConfig capture = config.capture.value_or(CaptureConfig());
    return std::tuple(capture.file, capture.max_size, capture.max_age);
  };
  if (capture_of(running_whole) != capture_of(wanted_whole)) changed.emplace_back("capture");
  const auto operators_of = [](const Config& config) {
    const ConsoleConfig console = config.console.value_or(ConsoleConfig());
    return std::tuple(console.roles, console.allowed_hosts, console.allowed_origins);
  };
  if (operators_of(running_whole) != operators_of(wanted_whole)) changed.emplace_back("console");
  if (!is_same(running_whole.approvals, wanted_whole.approvals)) changed.emplace_back("approvals");
  if (running_whole.pins.file != wanted_whole.pins.file) changed.emplace_back("pins.file");
  if (running_whole.pins.mode != wanted_whole.pins.mode) changed.emplace_back("pins.mode");
  if (running.mode != wanted.mode) changed.emplace_back("policy.mode");
  if (running.until != wanted.until) changed.emplace_back("policy.until");
  if (running.allow_unguarded_arguments != wanted.allow_unguarded_arguments) {
    changed.emplace_back("policy.unguarded_arguments");
  }
  return changed;
}

}  // namespace

Result<ReloadPlan> plan_reload(const Config& running, const Config& wanted) {
  const std::vector<std::string> keys = restart_keys(running, wanted);
  if (!keys.empty()) {
    return fail(ErrorCode::config_invalid, Fault::client,
                "a change of " + listed(keys) + " needs a restart; nothing was changed");
  }
  const auto profiles = [](const Config& config) {
    return by_name(config.tools, &ToolProfile::pattern);
  };
  const auto keys_of = [](const Config& config) {
    return by_name(config.auth.api_keys, &ApiKeyConfig::name);
  };
  const auto issuers_of = [](const Config& config) {
    return by_name(config.auth.issuers, &IssuerConfig::name);
  };
  const auto doors_of = [](const Config& config) {
    return by_name(config.auth.front_doors, &FrontDoorConfig::name);
  };
  const auto certificates_of = [](const Config& config) {
    return by_name(config.auth.certificates, &CertificateConfig::name);
  };
  return ReloadPlan{
      .servers = compare("servers", running.servers, wanted.servers, has_same_instances),
      .principals = compare("principals", running.principals, wanted.principals, kSameEntry),
      .of_policy = {compare("rules", running.rules, wanted.rules, kSameEntry),
                    compare("tools", profiles(running), profiles(wanted), kSameEntry),
                    compare("paths", running.paths, wanted.paths, kSameEntry),
                    compare("urls", running.urls, wanted.urls, kSameEntry),
                    compare("sqls", running.sqls, wanted.sqls, kSameEntry),
                    compare("commands", running.commands, wanted.commands, kSameEntry),
                    compare("limits", running.limits, wanted.limits, kSameEntry),
                    compare("flows", running.flows, wanted.flows, kSameEntry),
                    compare("redactions", running.redactions, wanted.redactions, kSameEntry),
                    compare("detectors", running.detectors, wanted.detectors, kSameEntry),
                    compare("sanitisings", running.sanitisings, wanted.sanitisings, kSameEntry),
                    compare("issuers", issuers_of(running), issuers_of(wanted), kSameEntry),
                    compare("front_doors", doors_of(running), doors_of(wanted), kSameEntry),
                    compare("certificates", certificates_of(running), certificates_of(wanted),
                            kSameEntry),
                    compare("endpoints", running.endpoints, wanted.endpoints, kSameEntry),
                    compare("roles", running.roles, wanted.roles, kSameEntry),
                    compare("keys", keys_of(running), keys_of(wanted), kSameEntry),
                    compare("pins", running.pins.tools, wanted.pins.tools, std::equal_to<>())},
      .settings_changed = changed_settings(running, wanted)};
}

}  // namespace bartizan
