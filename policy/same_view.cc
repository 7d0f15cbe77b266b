#include "policy/same_view.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "policy/match.h"

namespace bartizan {
namespace {

/// Everything of a rule but its place. The binding names every field, so that a new one cannot be
/// forgotten here; the same holds of those below.
auto parts(const RuleConfig& rule) {
  const auto& [name, effect, observe, roles, principals, target, patterns, hide, answer_as_result,
               remediation, where] = rule;
  static_cast<void>(where);
  return std::tie(name, effect, observe, roles, principals, target, patterns, hide,
                  answer_as_result, remediation);
}

auto parts(const RoleConfig& role) {
  const auto& [name, permissions, trust, where] = role;
  static_cast<void>(where);
  return std::tie(name, permissions, trust);
}

auto parts(const PrincipalConfig& principal) {
  const auto& [id, roles, attributes, where] = principal;
  static_cast<void>(where);
  return std::tie(id, roles, attributes);
}

/// What a profile asks of whoever calls; how long a call may take and what its arguments may be
/// decides nothing about lists.
auto parts(const ToolProfile& profile) {
  const auto& [pattern, permissions, timeout, arguments, where] = profile;
  static_cast<void>(timeout);
  static_cast<void>(arguments);
  static_cast<void>(where);
  return std::tie(pattern, permissions);
}

template <class Map>
bool is_same_map(const Map& one, const Map& other) {
  return std::ranges::equal(one, other, [](const auto& first, const auto& second) {
    return parts(first.second) == parts(second.second);
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

constexpr auto kSameParts = [](const auto* one, const auto* other) {
  return parts(*one) == parts(*other);
};

}  // namespace

bool is_same_rule(const RuleConfig& one, const RuleConfig& other) {
  return parts(one) == parts(other);
}

bool has_same_view(const Config& one, const Config& other, std::string_view server) {
  const auto settings = [](const Config& config) {
    return std::tie(config.policy.mode, config.policy.until);
  };
  return settings(one) == settings(other) && is_same_map(one.roles, other.roles) &&
         is_same_map(one.principals, other.principals) &&
         std::ranges::equal(rules_about(one, server), rules_about(other, server), kSameParts) &&
         std::ranges::equal(profiles_about(one, server), profiles_about(other, server), kSameParts);
}

}  // namespace bartizan
