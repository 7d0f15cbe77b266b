#include "policy/check/same_view.h"

#include <algorithm>
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

/// The rules that may be about that server; those about methods are about all.
std::vector<const RuleConfig*> rules_about(const Config& config, std::string_view server) {
  std::vector<const RuleConfig*> rules;
  for (const auto& [name, rule] : config.rules) {
    const bool is_about = rule.target == RuleTarget::methods ||
                          std::ranges::any_of(rule.patterns, [server](const std::string& pattern) {
                            return names(pattern, server);
                          });
    if (is_about) rules.push_back(&rule);
  }
  return rules;
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

}  // namespace

bool has_same_view(const Config& one, const Config& other, std::string_view server) {
  const auto settings = [server](const Config& config) {
    const auto found = config.servers.find(server);
    const Trust trust = found == config.servers.end() ? Trust::untrusted : found->second.trust;
    return std::tuple(config.policy.mode, config.policy.until, trust, config.pins.mode,
                      pins_about(config, server));
  };
  return settings(one) == settings(other) && is_same_map(one.roles, other.roles) &&
         is_same_map(one.principals, other.principals) &&
         std::ranges::equal(
             rules_about(one, server), rules_about(other, server),
             [](const auto* rule, const auto* kept) { return is_same(*rule, *kept); }) &&
         std::ranges::equal(profiles_about(one, server), profiles_about(other, server),
                            [](const auto* profile, const auto* kept) {
                              return is_same_to_lists(*profile, *kept);
                            });
}

}  // namespace bartizan
