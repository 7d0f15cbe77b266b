#include "policy/diff/diff_scope.h"

#include <algorithm>
#include <map>
#include <vector>

#include "config/same_entry.h"
#include "policy/access/rule_set.h"
#include "policy/text/match.h"

namespace bartizan {
namespace {

std::string whole_name(const DiffTarget& target) {
  return target.server + "/" + target.name;
}

/// Whether both have the same entry of that name, or neither has one.
template <typename Entry>
bool has_same(const std::map<std::string, Entry, std::less<>>& one,
              const std::map<std::string, Entry, std::less<>>& other, const std::string& name) {
  const auto left = one.find(name);
  const auto right = other.find(name);
  if (left == one.end() || right == other.end()) {
    return (left == one.end()) == (right == other.end());
  }
  return is_same(left->second, right->second);
}

bool have_same_settings(const PolicySettings& one, const PolicySettings& other) {
  return one.mode == other.mode && one.until == other.until &&
         one.allow_unguarded_arguments == other.allow_unguarded_arguments;
}

constexpr auto kSamePointed = [](const auto* one, const auto* other) {
  return is_same(*one, *other);
};

bool have_same_pin(const Config& one, const Config& other, const DiffTarget& target) {
  const PinnedTool* left = find_pin(one, target);
  const PinnedTool* right = find_pin(other, target);
  return left == nullptr || right == nullptr ? left == right : *left == *right;
}

/// Compares the parts of a server that affect decisions.
bool have_same_server(const Config& one, const Config& other, const DiffTarget& target) {
  const auto left = one.servers.find(target.server);
  const auto right = other.servers.find(target.server);
  if (left == one.servers.end() || right == other.servers.end()) {
    return (left == one.servers.end()) == (right == other.servers.end());
  }
  return left->second.cwd == right->second.cwd && left->second.trust == right->second.trust;
}

}  // namespace

const PinnedTool* find_pin(const Config& config, const DiffTarget& target) {
  const auto server = config.pins.tools.find(target.server);
  if (server == config.pins.tools.end()) return nullptr;
  const auto tool = server->second.find(target.name);
  return tool == server->second.end() ? nullptr : &tool->second;
}

bool is_about(const RuleConfig& rule, const DiffTarget& target) {
  // A URI with two readings is forbidden by every rule about resources.
  if (rule.target == RuleTarget::methods) return true;
  if (target_kind(rule.target) != target.kind) return false;
  return target.kind == TargetKind::resource ||
         std::ranges::any_of(rule.patterns, [&](const std::string& pattern) {
           return Glob(pattern).matches(whole_name(target));
         });
}

bool is_about(const ToolProfile& profile, const DiffTarget& target) {
  return target.kind == TargetKind::tool && Glob(profile.pattern).matches(whole_name(target));
}

std::vector<const ToolProfile*> profiles_about(const Config& config, const DiffTarget& target) {
  std::vector<const ToolProfile*> profiles;
  for (const ToolProfile& profile : config.tools) {
    if (is_about(profile, target)) profiles.push_back(&profile);
  }
  return profiles;
}

DiffScope::DiffScope(const TargetEntries& older, const TargetEntries& newer)
    : older_entries_(older),
      newer_entries_(newer),
      older_(older.config()),
      newer_(newer.config()),
      has_same_settings_(have_same_settings(older_.policy, newer_.policy)) {}

bool DiffScope::has_same_ground(const Predicate& predicate) const {
  return has_same_settings_ &&
         has_same(older_.paths, newer_.paths, std::string(path_name(predicate)));
}

bool DiffScope::has_same_ground(const DiffTarget& target) const {
  const auto have_same_ground = [&](const std::vector<ArgumentPredicate>& arguments) {
    return std::ranges::all_of(arguments, [&](const ArgumentPredicate& argument) {
      return has_same_ground(argument.predicate);
    });
  };
  const auto has_same_names = [&](const TargetEntries& entries) {
    return std::ranges::all_of(
               entries.profiles_about(target),
               [&](const ToolProfile* profile) { return have_same_ground(profile->arguments); }) &&
           std::ranges::all_of(entries.rules_about(target), [&](const RuleConfig* rule) {
             return have_same_ground(rule->when.arguments) &&
                    have_same_ground(rule->unless.arguments);
           });
  };
  return has_same_settings_ && has_same_names(older_entries_) && has_same_names(newer_entries_);
}

bool DiffScope::has_same_surroundings(const DiffTarget& target) const {
  return have_same_server(older_, newer_, target) && have_same_pin(older_, newer_, target);
}

bool DiffScope::is_same_caller(const DiffCaller& caller) const {
  if (caller.principal.empty()) return has_same(older_.roles, newer_.roles, caller.role);
  if (!has_same(older_.principals, newer_.principals, caller.principal)) return false;
  const auto found = older_.principals.find(caller.principal);
  return found == older_.principals.end() ||
         std::ranges::all_of(found->second.roles, [&](const std::string& role) {
           return has_same(older_.roles, newer_.roles, role);
         });
}

bool DiffScope::is_same_target(const DiffTarget& target) const {
  return has_same_surroundings(target) &&
         std::ranges::equal(older_entries_.rules_about(target), newer_entries_.rules_about(target),
                            kSamePointed) &&
         std::ranges::equal(older_entries_.profiles_about(target),
                            newer_entries_.profiles_about(target), kSamePointed);
}

bool DiffScope::may_differ(const DiffCaller& caller, const DiffTarget& target) const {
  return !is_same_caller(caller) || may_differ(target);
}

bool DiffScope::may_differ(const DiffTarget& target) const {
  return !has_same_ground(target) || !is_same_target(target);
}

}  // namespace bartizan
