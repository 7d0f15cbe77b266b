#include "gateway/command/format_roles.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/parse_units.h"
#include "policy/verdict/principal.h"

namespace bartizan {
namespace {

/// The most patterns per effect in a line.
constexpr std::size_t kPatternsMax = 6;

/// The patterns of one caller's rules, by effect, without duplicates.
struct Patterns {
  std::set<std::string> permitted, forbidden, approved;

  void add(const RuleConfig& rule) {
    std::set<std::string>& wanted = rule.effect == Effect::permit   ? permitted
                                    : rule.effect == Effect::forbid ? forbidden
                                                                    : approved;
    const bool has_conditions = !rule.when.empty() || !rule.unless.empty();
    for (const std::string& pattern : rule.patterns) {
      const std::string_view kind = rule.target == RuleTarget::resources ? "resource "
                                    : rule.target == RuleTarget::prompts ? "prompt "
                                    : rule.target == RuleTarget::methods ? "method "
                                                                         : "";
      std::string written = pattern;
      // The configuration's form: `server:URI`.
      const std::size_t slash = written.find('/');
      if (rule.target == RuleTarget::resources && slash != written.npos) written[slash] = ':';
      wanted.insert(fmt::format("{}{}{}", kind, written, has_conditions ? " (conditions)" : ""));
    }
  }
};

std::string listed(const std::set<std::string>& patterns) {
  std::vector<std::string_view> first;
  for (const std::string& pattern : patterns) {
    if (first.size() == kPatternsMax) break;
    first.push_back(pattern);
  }
  const std::size_t others = patterns.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "),
                     others == 0 ? "" : fmt::format(" and {} more", others));
}

std::string described(const Patterns& patterns) {
  std::vector<std::string> parts;
  if (patterns.permitted.empty()) {
    parts.emplace_back("permits nothing");
  } else {
    parts.push_back("permits " + listed(patterns.permitted));
  }
  if (!patterns.approved.empty()) parts.push_back("approval for " + listed(patterns.approved));
  if (!patterns.forbidden.empty()) parts.push_back("forbids " + listed(patterns.forbidden));
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool binds_everyone(const RuleConfig& rule) {
  return std::ranges::find(rule.roles, "*") != rule.roles.end();
}

Patterns patterns_of_role(const Config& config, const std::string& role) {
  Patterns patterns;
  for (const auto& [name, rule] : config.rules) {
    if (std::ranges::find(rule.roles, role) != rule.roles.end()) patterns.add(rule);
  }
  const auto found = config.roles.find(role);
  if (found != config.roles.end()) {
    for (const std::string& glob : found->second.allowed_resources)
      patterns.permitted.insert("resource " + glob);
  }
  return patterns;
}

std::size_t principals_with(const Config& config, const std::string& role) {
  return static_cast<std::size_t>(std::ranges::count_if(config.principals, [&](const auto& one) {
    return std::ranges::find(one.second.roles, role) != one.second.roles.end();
  }));
}

/// If roles have different trusts: the one that counts, and its role.
std::string lowered_trust(const Config& config, const PrincipalConfig& principal) {
  const RoleTrust lowest = trust_of_roles(principal.roles, config.roles);
  for (const std::string& name : principal.roles) {
    const auto role = config.roles.find(name);
    if (role == config.roles.end() || !role->second.trust.has_value()) continue;
    if (*role->second.trust == lowest.trust) continue;
    return fmt::format("principal {}: trust {}, by role {}: the lowest that a role states counts",
                       principal.id, text(lowest.trust), lowest.role);
  }
  return {};
}

std::string_view stated_trust(const RoleConfig& role) {
  return role.trust.has_value() ? text(*role.trust) : std::string_view();
}

}  // namespace

std::vector<std::string> role_lines(const Config& config) {
  std::vector<std::string> lines;
  Patterns everyone;
  std::set<std::string> principals;
  for (const auto& [name, rule] : config.rules) {
    if (binds_everyone(rule)) everyone.add(rule);
    principals.insert(rule.principals.begin(), rule.principals.end());
  }
  for (const auto& [name, role] : config.roles) {
    const std::string_view trust = stated_trust(role);
    lines.push_back(fmt::format("role {}: {}, {}; {}", name,
                                trust.empty() ? "no trust" : fmt::format("trust {}", trust),
                                format_count(principals_with(config, name), "principal"),
                                described(patterns_of_role(config, name))));
  }
  for (const std::string& id : principals) {
    Patterns patterns;
    for (const auto& [name, rule] : config.rules) {
      if (std::ranges::find(rule.principals, id) != rule.principals.end()) patterns.add(rule);
    }
    lines.push_back(fmt::format("principal {}: {}", id, described(patterns)));
  }
  const bool has_shared =
      !everyone.permitted.empty() || !everyone.forbidden.empty() || !everyone.approved.empty();
  if (has_shared) lines.push_back("everyone: " + described(everyone));
  for (const auto& [id, principal] : config.principals) {
    std::string lowered = lowered_trust(config, principal);
    if (!lowered.empty()) lines.push_back(std::move(lowered));
  }
  return lines;
}

std::vector<JsonObject> roles_json(const Config& config) {
  const auto texts = [](const std::set<std::string>& patterns) {
    return std::vector<std::string>(patterns.begin(), patterns.end());
  };
  std::vector<JsonObject> roles;
  for (const auto& [name, role] : config.roles) {
    const Patterns patterns = patterns_of_role(config, name);
    JsonObject& json = roles.emplace_back();
    json.add("role", name);
    if (role.trust.has_value()) json.add("trust", stated_trust(role));
    json.add("principals", principals_with(config, name));
    json.add("permits", texts(patterns.permitted));
    json.add("approval_for", texts(patterns.approved));
    json.add("forbids", texts(patterns.forbidden));
  }
  return roles;
}

}  // namespace bartizan
