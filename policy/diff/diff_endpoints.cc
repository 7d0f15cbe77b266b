#include "policy/diff/diff_endpoints.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "config/same_entry.h"

namespace bartizan {
namespace {

using Kind = SettingChange::Kind;

/// Whether a list, of which an empty one is everything, surely has no more than another.
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
constexpr std::string_view kIssuer = "issuer ";

const IssuerConfig* find_issuer(const Config& config, const std::string& name) {
  const auto found = std::ranges::find(config.auth.issuers, name, &IssuerConfig::name);
  return found == config.auth.issuers.end() ? nullptr : &*found;
}

/// The one of `[listen] path`, which takes everything that `[auth]` has, and shows everything.
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
  for (const IssuerConfig& issuer : newer.auth.issuers) {
    const IssuerConfig* before = find_issuer(older, issuer.name);
    if (before != nullptr && is_same(*before, issuer)) continue;
    changes.push_back(change(Kind::gained, kIssuer, issuer,
                             before == nullptr ? "is new, and proves whom its tokens name"
                                               : "is another one, or proves others",
                             newer, DiffSide::newer));
  }
  for (const IssuerConfig& issuer : older.auth.issuers) {
    if (find_issuer(newer, issuer.name) != nullptr) continue;
    changes.push_back(change(Kind::lost, kIssuer, issuer, "is gone", older, DiffSide::older));
  }
  return changes;
}

}  // namespace bartizan
