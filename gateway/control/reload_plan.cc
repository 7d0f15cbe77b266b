#include "gateway/control/reload_plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/same_entry.h"
#include "gateway/control/changed_settings.h"
#include "gateway/upstream/server_definition.h"

namespace bartizan {
namespace {

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
                    compare("pins", running.pins.tools, wanted.pins.tools, std::equal_to<>()),
                    compare("exports", running.exports, wanted.exports, kSameEntry),
                    compare("alerts", running.alerts, wanted.alerts, kSameEntry)},
      .settings_changed = changed_settings(running, wanted)};
}

void add_setting(ReloadPlan& plan, std::string key) {
  std::vector<std::string>& keys = plan.settings_changed;
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

}  // namespace bartizan
