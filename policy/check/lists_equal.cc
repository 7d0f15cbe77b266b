#include "policy/check/lists_equal.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "config/same_entry.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

/// The arguments that are left out of what clients see of a tool.
std::vector<std::string_view> fixed_pointers(const ToolProfile& profile) {
  std::vector<std::string_view> pointers;
  for (const ArgumentPredicate& argument : profile.arguments) {
    if (std::holds_alternative<FixedPredicate>(argument.predicate)) {
      pointers.push_back(argument.pointer);
    }
  }
  return pointers;
}

/// What a profile asks of whoever calls, which arguments it hides, and whether its tools can be
/// judged; how long a call may take and what its other arguments may be decides nothing about
/// lists.
bool is_same_to_lists(const ToolProfile& one, const ToolProfile& other) {
  return std::tie(one.pattern, one.permissions, one.categories, one.listed,
                  one.untranslatable_patterns) == std::tie(other.pattern, other.permissions,
                                                           other.categories, other.listed,
                                                           other.untranslatable_patterns) &&
         fixed_pointers(one) == fixed_pointers(other);
}

template <class Map>
bool is_same_map(const Map& one, const Map& other) {
  return std::ranges::equal(one, other, [](const auto& first, const auto& second) {
    return is_same(first.second, second.second);
  });
}

bool names(const std::string& pattern, std::string_view server) {
  return pattern == "**" || Glob(pattern.substr(0, pattern.find('/'))).matches(server);
}

/// Those about methods are about all servers.
bool may_be_about(const RuleConfig& rule, std::string_view server) {
  return rule.target == RuleTarget::methods ||
         std::ranges::any_of(rule.patterns, [server](const std::string& pattern) {
           return names(pattern, server);
         });
}

/// Adds the rules of `one` that `other` has not so.
void add_changed(const Config& one, const Config& other, std::vector<const RuleConfig*>& changed) {
  auto kept = other.rules.begin();
  for (const auto& [name, rule] : one.rules) {
    while (kept != other.rules.end() && kept->first < name)
      ++kept;
    const bool is_there = kept != other.rules.end() && kept->first == name;
    if (!is_there || !is_same(rule, kept->second)) changed.push_back(&rule);
  }
}

std::vector<const ToolProfile*> profiles_about(const Config& config, std::string_view server) {
  std::vector<const ToolProfile*> profiles;
  for (const ToolProfile& profile : config.tools) {
    if (names(profile.pattern, server)) profiles.push_back(&profile);
  }
  return profiles;
}

/// What is pinned of a server; where what comes first counts, of all: a tool may not pass for what
/// a person approved of another.
PinnedTools pins_about(const Config& config, std::string_view server) {
  const PinnedTools& pinned = config.pins.tools;
  if (config.pins.mode == PinsConfig::Mode::trust_on_first_use) return pinned;
  const auto found = pinned.find(server);
  return found == pinned.end() ? PinnedTools() : PinnedTools{*found};
}

/// What each endpoint shows of a server: nothing, or the tools of these globs.
std::map<std::string_view, std::vector<std::string>> views_of(const Config& config,
                                                              std::string_view server) {
  std::map<std::string_view, std::vector<std::string>> views;
  for (const auto& [name, endpoint] : config.endpoints) {
    const auto& shown = endpoint.servers;
    if (shown.empty() || std::ranges::find(shown, server) != shown.end())
      views.emplace(name, endpoint.tools);
  }
  return views;
}

}  // namespace

EqualLists::EqualLists(const Config& one, const Config& other)
    : one_(one),
      other_(other),
      has_same_callers_(is_same_map(one.roles, other.roles) &&
                        is_same_map(one.principals, other.principals)) {
  add_changed(one, other, changed_);
  add_changed(other, one, changed_);
}

bool EqualLists::has(std::string_view server) const {
  const auto settings = [server](const Config& config) {
    const auto found = config.servers.find(server);
    const Trust trust = found == config.servers.end() ? Trust::untrusted : found->second.trust;
    return std::tuple(views_of(config, server), config.policy.mode, config.policy.until, trust,
                      config.pins.mode, pins_about(config, server));
  };
  const bool has_same_rules = std::ranges::none_of(
      changed_, [server](const RuleConfig* rule) { return may_be_about(*rule, server); });
  return has_same_callers_ && has_same_rules && settings(one_) == settings(other_) &&
         std::ranges::equal(profiles_about(one_, server), profiles_about(other_, server),
                            [](const auto* profile, const auto* kept) {
                              return is_same_to_lists(*profile, *kept);
                            });
}

}  // namespace bartizan
