#include "policy/diff/diff_endpoints.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "config/same_entry.h"

namespace bartizan {
namespace {

using Kind = SettingChange::Kind;

/// Whether a list surely has no more than another. An empty list means everything.
bool has_no_more(const std::vector<std::string>& one, const std::vector<std::string>& than) {
  if (than.empty()) return true;
  return !one.empty() && std::ranges::all_of(one, [&](const std::string& name) {
    return std::ranges::find(than, name) != than.end();
  });
}

template <class Entry>
SettingChange change(Kind kind, std::string_view what, const Entry& entry, std::string_view how,
                     const Config& config, DiffSide in) {
  return {.kind = kind,
          .what = std::string(what) + entry.name,
          .how = std::string(how),
          .where = text(config, entry.where),
          .where_in = in};
}

constexpr std::string_view kEndpoint = "endpoint ";

/// Adds the changes of the entries of a list, by name. An entry that accepts other callers may let
/// more of them in.
template <class Entry>
void compare_provers(std::string_view what, const std::vector<Entry> AuthConfig::* list,
                     std::string_view proves, const Config& older, const Config& newer,
                     std::vector<SettingChange>& changes) {
  const std::vector<Entry>& before = older.auth.*list;
  const std::vector<Entry>& after = newer.auth.*list;
  for (const Entry& entry : after) {
    const auto old = std::ranges::find(before, entry.name, &Entry::name);
    if (old != before.end() && is_same(*old, entry)) continue;
    changes.push_back(change(Kind::gained, what, entry,
                             old == before.end() ? proves : "is another one, or proves others",
                             newer, DiffSide::newer));
  }
  for (const Entry& entry : before) {
    if (std::ranges::find(after, entry.name, &Entry::name) != after.end()) continue;
    changes.push_back(change(Kind::lost, what, entry, "is gone", older, DiffSide::older));
  }
}

/// Adds the endpoint of `[listen] path`, which accepts everything in `[auth]` and shows everything.
EndpointConfigs all_endpoints(const Config& config) {
  if (!config.endpoints.empty()) return config.endpoints;
  return {
      {"", {.name = "of [listen] path", .path = config.listen.path, .where = config.listen.where}}};
}

void compare(const EndpointConfig& before, const EndpointConfig& after, const Config& newer,
             std::vector<SettingChange>& changes) {
  const auto add = [&](Kind kind, std::string_view how) {
    changes.push_back(change(kind, kEndpoint, after, how, newer, DiffSide::newer));
  };
  const auto compare_lists = [&](const std::vector<std::string>& was,
                                 const std::vector<std::string>& is, std::string_view more,
                                 std::string_view less) {
    if (was == is) return;
    has_no_more(is, was) ? add(Kind::lost, less) : add(Kind::gained, more);
  };
  if (before.path != after.path) add(Kind::gained, "is at another path");
  compare_lists(before.auth, after.auth, "accepts other credentials", "accepts fewer credentials");
  compare_lists(before.servers, after.servers, "shows other servers", "shows fewer servers");
  compare_lists(before.tools, after.tools, "shows other tools", "shows fewer tools");
  if (before.needs_certificate != after.needs_certificate) {
    after.needs_certificate ? add(Kind::lost, "needs a certificate")
                            : add(Kind::gained, "needs no certificate any more");
  }
  if (before.protocol != after.protocol) add(Kind::gained, "speaks another protocol");
  if (before.registrars != after.registrars) {
    add(std::ranges::includes(before.registrars, after.registrars) ? Kind::lost : Kind::gained,
        "lets others register tools");
  }
  if (before.resource != after.resource) add(Kind::gained, "takes tokens of another resource");
}

}  // namespace

std::vector<SettingChange> diff_endpoints(const Config& older, const Config& newer) {
  std::vector<SettingChange> changes;
  const EndpointConfigs before = all_endpoints(older);
  const EndpointConfigs after = all_endpoints(newer);
  for (const auto& [name, endpoint] : after) {
    const auto found = before.find(name);
    if (found == before.end()) {
      changes.push_back(
          change(Kind::gained, kEndpoint, endpoint, "is new", newer, DiffSide::newer));
    } else {
      compare(found->second, endpoint, newer, changes);
    }
  }
  for (const auto& [name, endpoint] : before) {
    if (!after.contains(name))
      changes.push_back(change(Kind::lost, kEndpoint, endpoint, "is gone", older, DiffSide::older));
  }
  return changes;
}

std::vector<SettingChange> diff_issuers(const Config& older, const Config& newer) {
  std::vector<SettingChange> changes;
  compare_provers<IssuerConfig>("issuer ", &AuthConfig::issuers,
                                "is new, and proves whom its tokens name", older, newer, changes);
  compare_provers<FrontDoorConfig>("front door ", &AuthConfig::front_doors,
                                   "is new, and lets in whoever signs in at its provider", older,
                                   newer, changes);
  compare_provers<CertificateConfig>("certificate ", &AuthConfig::certificates,
                                     "is new, and proves its principal", older, newer, changes);
  return changes;
}

}  // namespace bartizan
