#include "policy/diff/diff_place.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/permission.h"
#include "config/same_entry.h"
#include "policy/diff/diff_scope.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {
namespace {

/// Searches the entry that differs between both, beginning with those nearest to the call.
class PlaceSearch {
 public:
  PlaceSearch(const Config& older, const Config& newer, const DiffTarget& target,
              const PolicyChange& change)
      : older_(older), newer_(newer), target_(target), change_(change) {}

  DiffPlace find() const {
    if (DiffPlace place = of_argument(); !place.where.empty()) return place;
    if (change_.reason == Reason::permission_missing) {
      if (DiffPlace place = of_permissions(); !place.where.empty()) return place;
    }
    for (const std::string& rule : {change_.rule, change_.permitted_by}) {
      if (DiffPlace place = of_rule(rule); !place.where.empty()) return place;
    }
    if (DiffPlace place = of_caller(); !place.where.empty()) return place;
    if (DiffPlace place = of_profiles(); !place.where.empty()) return place;
    const bool is_same_policy =
        older_.policy.mode == newer_.policy.mode && older_.policy.until == newer_.policy.until &&
        older_.policy.allow_unguarded_arguments == newer_.policy.allow_unguarded_arguments;
    if (is_same_policy || newer_.policy.where.line == 0) return {};
    return at(newer_, newer_.policy.where);
  }

 private:
  DiffPlace at(const Config& config, const Position& where) const {
    return {.where = text(config, where),
            .in = &config == &older_ ? DiffSide::older : DiffSide::newer};
  }

  /// The place of an entry that is missing or different in the other; empty for an equal entry.
  template <typename Entries>
  DiffPlace of_entry(Entries Config::* entries, std::string_view name) const {
    const auto before = (older_.*entries).find(name);
    const auto after = (newer_.*entries).find(name);
    const bool was = before != (older_.*entries).end();
    const bool is = after != (newer_.*entries).end();
    if (is && (!was || !is_same(before->second, after->second)))
      return at(newer_, after->second.where);
    return was && !is ? at(older_, before->second.where) : DiffPlace();
  }

  /// The place or form that a predicate names.
  DiffPlace of_named(const Predicate& predicate) const {
    if (const std::string_view path = path_name(predicate); !path.empty())
      return of_entry(&Config::paths, path);
    if (const auto* url = std::get_if<UrlPredicate>(&predicate))
      return of_entry(&Config::urls, url->name);
    if (const auto* sql = std::get_if<SqlPredicate>(&predicate))
      return of_entry(&Config::sqls, sql->name);
    if (const auto* command = std::get_if<CommandPredicate>(&predicate))
      return of_entry(&Config::commands, command->name);
    return {};
  }

  /// The predicate of the same profile on the same argument.
  const ArgumentPredicate* find_asked(const Config& config, const ToolProfile& like,
                                      const std::string& pointer) const {
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      if (profile->pattern != like.pattern) continue;
      const auto asked =
          std::ranges::find(profile->arguments, pointer, &ArgumentPredicate::pointer);
      if (asked != profile->arguments.end()) return &*asked;
    }
    return nullptr;
  }

  /// The place where `config` has a predicate on the argument that `other` lacks.
  DiffPlace of_argument_in(const Config& config, const Config& other) const {
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      for (const ArgumentPredicate& asked : profile->arguments) {
        if (!selects(asked.pointer, change_.pointer)) continue;
        const ArgumentPredicate* in_other = find_asked(other, *profile, asked.pointer);
        const bool is_same_asked = in_other != nullptr && in_other->predicate == asked.predicate &&
                                   in_other->optional == asked.optional;
        DiffPlace named = of_named(asked.predicate);
        if (!named.where.empty()) return named;
        if (!is_same_asked) return at(config, asked.where);
      }
    }
    return {};
  }

  DiffPlace of_argument() const {
    if (!change_.pointer.starts_with('/')) return {};
    DiffPlace place = of_argument_in(newer_, older_);
    return place.where.empty() ? of_argument_in(older_, newer_) : place;
  }

  /// A rule, with the parts of another one that only affect how refusals look.
  static RuleConfig in_the_words_of(RuleConfig rule, const RuleConfig& other) {
    rule.remediation = other.remediation;
    rule.hide = other.hide;
    rule.answer_as_result = other.answer_as_result;
    return rule;
  }

  DiffPlace of_rule(const std::string& name) const {
    if (name.empty()) return {};
    const auto before = older_.rules.find(name);
    const auto rule = newer_.rules.find(name);
    const bool is_kept = before != older_.rules.end() && rule != newer_.rules.end();
    if (!is_kept) return of_entry(&Config::rules, name);
    if (!is_same(in_the_words_of(before->second, rule->second), rule->second))
      return at(newer_, rule->second.where);
    for (const RuleConditions* conditions : {&rule->second.when, &rule->second.unless}) {
      for (const ArgumentPredicate& argument : conditions->arguments) {
        if (DiffPlace place = of_named(argument.predicate); !place.where.empty()) return place;
      }
    }
    return {};
  }

  /// The place where `config` has a profile of the tool with other permissions than in `other`.
  DiffPlace of_asked_permissions_in(const Config& config, const Config& other) const {
    const std::vector<const ToolProfile*> others = profiles_about(other, target_);
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      const auto same = std::ranges::find_if(
          others, [profile](const ToolProfile* one) { return one->pattern == profile->pattern; });
      const bool is_same_asked = same == others.end()
                                     ? profile->permissions.empty()
                                     : (*same)->permissions == profile->permissions;
      if (!is_same_asked) return at(config, profile->where);
    }
    return {};
  }

  static bool grants(const Config& config, const std::string& role, const std::string& permission) {
    const auto found = config.roles.find(role);
    return found != config.roles.end() &&
           std::ranges::any_of(found->second.permissions, [&permission](const std::string& grant) {
             return grants_permission(grant, permission);
           });
  }

  /// Whether a role grants more or fewer of the tool's permissions than before.
  bool grants_other(const std::string& role) const {
    for (const Config* config : {&newer_, &older_}) {
      for (const ToolProfile* profile : profiles_about(*config, target_)) {
        for (const std::string& permission : profile->permissions) {
          if (grants(older_, role, permission) != grants(newer_, role, permission)) return true;
        }
      }
    }
    return false;
  }

  /// The permissions that a tool needs, and the grants of the caller's roles.
  DiffPlace of_permissions() const {
    if (DiffPlace place = of_asked_permissions_in(newer_, older_); !place.where.empty())
      return place;
    if (DiffPlace place = of_asked_permissions_in(older_, newer_); !place.where.empty())
      return place;
    const DiffCaller& caller = change_.callers.front();
    const auto principal = newer_.principals.find(caller.principal);
    const std::vector<std::string> roles =
        principal == newer_.principals.end() ? std::vector{caller.role} : principal->second.roles;
    for (const std::string& role : roles) {
      if (grants_other(role)) return of_entry(&Config::roles, role);
    }
    return {};
  }

  DiffPlace of_caller() const {
    const DiffCaller& caller = change_.callers.front();
    if (caller.principal.empty()) return of_entry(&Config::roles, caller.role);
    if (DiffPlace place = of_entry(&Config::principals, caller.principal); !place.where.empty())
      return place;
    const auto principal = newer_.principals.find(caller.principal);
    if (principal == newer_.principals.end()) return {};
    for (const std::string& role : principal->second.roles) {
      if (DiffPlace place = of_entry(&Config::roles, role); !place.where.empty()) return place;
    }
    return {};
  }

  /// The place where `config` has a profile of the tool that is missing or different in `other`.
  DiffPlace of_profiles_in(const Config& config, const Config& other) const {
    const std::vector<const ToolProfile*> others = profiles_about(other, target_);
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      const bool is_there = std::ranges::any_of(
          others, [profile](const ToolProfile* one) { return is_same(*one, *profile); });
      if (!is_there) return at(config, profile->where);
    }
    return {};
  }

  DiffPlace of_profiles() const {
    DiffPlace place = of_profiles_in(newer_, older_);
    return place.where.empty() ? of_profiles_in(older_, newer_) : place;
  }

  const Config& older_;
  const Config& newer_;
  const DiffTarget& target_;
  const PolicyChange& change_;
};

}  // namespace

DiffPlace place_of_change(const Config& older, const Config& newer, const DiffTarget& target,
                          const PolicyChange& change) {
  return PlaceSearch(older, newer, target, change).find();
}

}  // namespace bartizan
