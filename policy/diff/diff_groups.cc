#include "policy/diff/diff_groups.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "config/permission.h"
#include "policy/access/rule_set.h"
#include "policy/diff/diff_scope.h"
#include "policy/predicate/tool_effect.h"
#include "schemas/json/json.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {
namespace {

/// Groups the values with equal keys, in the order of the first of each group.
template <typename Value, typename Values, typename KeyOf>
std::vector<std::vector<Value>> grouped(const Values& values, const KeyOf& key_of) {
  std::vector<std::vector<Value>> groups;
  std::map<decltype(key_of(*values.begin())), std::size_t> places;
  for (const Value& value : values) {
    const auto [place, is_new] = places.try_emplace(key_of(value), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(value);
  }
  return groups;
}

// --- Targets ------------------------------------------------------------------------------------

/// The view of one policy on a target.
struct TargetView {
  std::optional<std::pair<std::string_view, Trust>> server =
      {};  ///< Its working directory and trust.
  std::vector<const RuleConfig*> rules = {};
  std::vector<const ToolProfile*> profiles = {};
  bool is_pinned = false;
  std::vector<bool> hints = {};  ///< If an approval makes them count.
  auto operator<=>(const TargetView&) const = default;
};

/// The parts of a definition that calls are judged by: all except texts for people.
struct JudgedDefinition {
  std::vector<std::string> parts = {};
  ToolDefinition definition = {};  ///< As listed, whatever the lock file has.
};

JudgedDefinition judged_parts(const Config& config, const PinnedTool* pinned) {
  static constexpr std::array<std::string_view, 3> kJudged{"annotations", "inputSchema",
                                                           "outputSchema"};
  JudgedDefinition judged;
  if (pinned == nullptr) return judged;
  const Bytes bytes{std::string_view(pinned->definition)};
  JsonDocument document;
  const JsonValue entry = document.read(bytes, kResponseLimits).value_or(JsonValue());
  for (const JsonValue member : entry) {
    if (std::ranges::find(kJudged, member.key()) == kJudged.end()) continue;
    judged.parts.push_back(std::string(member.key()) + ":" + std::string(member.raw()));
  }
  std::ranges::sort(judged.parts);
  Result<ToolDefinition> definition =
      read_tool_definition(entry, Era::modern, config.pins.volatile_members);
  if (definition.has_value()) judged.definition = *std::move(definition);
  return judged;
}

TargetView view_of(const TargetEntries& entries, const DiffTarget& target,
                   const JudgedDefinition& judged) {
  const Config& config = entries.config();
  TargetView view{.rules = entries.rules_about(target), .profiles = entries.profiles_about(target)};
  const auto server = config.servers.find(target.server);
  if (server != config.servers.end()) view.server.emplace(server->second.cwd, server->second.trust);
  const PinnedTool* pinned = find_pin(config, target);
  view.is_pinned = pinned != nullptr;
  // An approval counts only for the exact definition that calls are judged by.
  if (pinned != nullptr && !is_pinned_as(*pinned, judged.definition)) pinned = nullptr;
  for (const ToolHint hint :
       {ToolHint::read_only, ToolHint::destructive, ToolHint::idempotent, ToolHint::open_world})
    view.hints.push_back(says_hint(pinned, nullptr, hint));
  return view;
}

/// Resources differ by parts of their URIs, and each method is unique.
bool stands_alone(const DiffTarget& target) {
  return target.kind != TargetKind::tool && target.kind != TargetKind::prompt;
}

// --- Callers ------------------------------------------------------------------------------------

/// The view of one policy on a caller, for calls of one target.
struct CallerView {
  bool is_there = false;
  std::vector<std::string_view> rules =
      {};  ///< Of the rules about the target, those that bind the caller.
  std::vector<bool> permissions =
      {};  ///< For each permission that the target needs, whether it is held.
  Trust trust = Trust::untrusted;  ///< The lowest of the roles.
  auto operator<=>(const CallerView&) const = default;
};

/// Distinguishes the callers of one target, for one policy.
class CallerViews {
 public:
  CallerViews(const TargetEntries& entries, const DiffTarget& target)
      : config_(entries.config()), rules_(entries.rules_about(target)) {
    for (const ToolProfile* profile : entries.profiles_about(target))
      permissions_.insert(profile->permissions.begin(), profile->permissions.end());
  }

  CallerView of(const DiffCaller& caller) const {
    CallerView view;
    std::vector<const RoleConfig*> roles;
    if (caller.principal.empty()) {
      add_role(caller.role, roles);
      view.is_there = !roles.empty();
      if (view.is_there) view.trust = trust_of_roles({&caller.role, 1}, config_.roles).trust;
    } else if (const auto found = config_.principals.find(caller.principal);
               found != config_.principals.end()) {
      view.is_there = true;
      for (const std::string& role : found->second.roles)
        add_role(role, roles);
      view.trust = trust_of_roles(found->second.roles, config_.roles).trust;
    }
    if (!view.is_there) return view;
    for (const RuleConfig* rule : rules_) {
      if (binds(*rule, caller, roles)) view.rules.push_back(rule->name);
    }
    for (const std::string_view permission : permissions_)
      view.permissions.push_back(holds(roles, permission));
    return view;
  }

 private:
  void add_role(const std::string& name, std::vector<const RoleConfig*>& roles) const {
    const auto role = config_.roles.find(name);
    if (role != config_.roles.end()) roles.push_back(&role->second);
  }

  static bool binds(const RuleConfig& rule, const DiffCaller& caller,
                    const std::vector<const RoleConfig*>& roles) {
    const auto names = [&rule](const RoleConfig* role) {
      return std::ranges::find(rule.roles, role->name) != rule.roles.end();
    };
    const bool names_caller =
        !caller.principal.empty() &&
        std::ranges::find(rule.principals, caller.principal) != rule.principals.end();
    return names_everyone(rule) || names_caller || std::ranges::any_of(roles, names);
  }

  static bool holds(const std::vector<const RoleConfig*>& roles, std::string_view permission) {
    return std::ranges::any_of(roles, [&](const RoleConfig* role) {
      return std::ranges::any_of(role->permissions, [&](const std::string& grant) {
        return grants_permission(grant, permission);
      });
    });
  }

  const Config& config_;
  std::vector<const RuleConfig*> rules_;
  std::set<std::string_view> permissions_;
};

/// Whether the caller is tried as an approver. The answer differs if the caller approves its own
/// call.
bool may_approve(const TargetEntries& entries, const DiffCaller& caller) {
  const auto found = entries.config().principals.find(caller.principal);
  if (found == entries.config().principals.end()) return false;
  return entries.is_approving_principal(caller.principal) ||
         std::ranges::any_of(found->second.roles,
                             [&](const std::string& role) { return entries.is_approver(role); });
}

}  // namespace

std::vector<std::vector<DiffTarget>> group_targets(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::set<DiffTarget>& targets) {
  return grouped<DiffTarget>(targets, [&](const DiffTarget& target) {
    const PinnedTool* pinned = find_pin(newer.config(), target);
    if (pinned == nullptr) pinned = find_pin(older.config(), target);
    const JudgedDefinition judged = judged_parts(newer.config(), pinned);
    return std::tuple(target.kind, stands_alone(target) ? std::optional(target) : std::nullopt,
                      view_of(older, target, judged), view_of(newer, target, judged), judged.parts);
  });
}

std::vector<std::vector<DiffCaller>> group_callers(const TargetEntries& older,
                                                   const TargetEntries& newer,
                                                   const std::vector<DiffCaller>& callers,
                                                   const DiffTarget& target) {
  const CallerViews before(older, target);
  const CallerViews after(newer, target);
  return grouped<DiffCaller>(callers, [&](const DiffCaller& caller) {
    const bool is_own = may_approve(older, caller) || may_approve(newer, caller);
    return std::tuple(before.of(caller), after.of(caller),
                      is_own ? caller.principal : std::string());
  });
}

}  // namespace bartizan
