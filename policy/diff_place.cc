#include "policy/diff_place.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/same_entry.h"
#include "policy/argument_pointer.h"
#include "policy/diff_scope.h"

namespace bartizan {
namespace {

/// Looks for the entry that is not the same in both, from what is nearest to the call on.
class PlaceSearch {
 public:
  PlaceSearch(const Config& older, const Config& newer, const DiffTarget& target,
              const PolicyChange& change)
      : older_(older), newer_(newer), target_(target), change_(change) {}

  std::string find() const {
    if (std::string place = of_argument(); !place.empty()) return place;
    for (const std::string& rule : {change_.rule, change_.permitted_by}) {
      if (std::string place = of_rule(rule); !place.empty()) return place;
    }
    if (std::string place = of_caller(); !place.empty()) return place;
    if (std::string place = of_profiles(); !place.empty()) return place;
    const bool is_same_policy =
        older_.policy.mode == newer_.policy.mode && older_.policy.until == newer_.policy.until &&
        older_.policy.allow_unguarded_arguments == newer_.policy.allow_unguarded_arguments;
    return is_same_policy || newer_.policy.where.line == 0 ? "" : text(newer_, newer_.policy.where);
  }

 private:
  /// Where an entry stands that is not in both, or not the same; empty for one that is.
  template <typename Entries>
  std::string of_entry(Entries Config::* entries, std::string_view name) const {
    const auto before = (older_.*entries).find(name);
    const auto after = (newer_.*entries).find(name);
    const bool was = before != (older_.*entries).end();
    const bool is = after != (newer_.*entries).end();
    if (is && (!was || !is_same(before->second, after->second)))
      return text(newer_, after->second.where);
    return was && !is ? text(older_, before->second.where) : "";
  }

  /// What a predicate names: a place, or a form.
  std::string of_named(const Predicate& predicate) const {
    if (const std::string_view path = path_name(predicate); !path.empty())
      return of_entry(&Config::paths, path);
    if (const auto* url = std::get_if<UrlPredicate>(&predicate))
      return of_entry(&Config::urls, url->name);
    if (const auto* sql = std::get_if<SqlPredicate>(&predicate))
      return of_entry(&Config::sqls, sql->name);
    if (const auto* command = std::get_if<CommandPredicate>(&predicate))
      return of_entry(&Config::commands, command->name);
    return "";
  }

  /// What the same profile asks of the same argument.
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

  /// Where `config` asks something of the argument that `other` does not.
  std::string of_argument_in(const Config& config, const Config& other) const {
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      for (const ArgumentPredicate& asked : profile->arguments) {
        if (!selects(asked.pointer, change_.pointer)) continue;
        const ArgumentPredicate* in_other = find_asked(other, *profile, asked.pointer);
        const bool is_same_asked = in_other != nullptr && in_other->predicate == asked.predicate &&
                                   in_other->optional == asked.optional;
        std::string named = of_named(asked.predicate);
        if (!named.empty()) return named;
        if (!is_same_asked) return text(config, asked.where);
      }
    }
    return "";
  }

  std::string of_argument() const {
    if (!change_.pointer.starts_with('/')) return "";
    std::string place = of_argument_in(newer_, older_);
    return place.empty() ? of_argument_in(older_, newer_) : place;
  }

  std::string of_rule(const std::string& name) const {
    if (name.empty()) return "";
    if (std::string place = of_entry(&Config::rules, name); !place.empty()) return place;
    const auto rule = newer_.rules.find(name);
    if (rule == newer_.rules.end()) return "";
    for (const RuleConditions* conditions : {&rule->second.when, &rule->second.unless}) {
      for (const ArgumentPredicate& argument : conditions->arguments) {
        if (std::string place = of_named(argument.predicate); !place.empty()) return place;
      }
    }
    return "";
  }

  std::string of_caller() const {
    const DiffCaller& caller = change_.callers.front();
    if (caller.principal.empty()) return of_entry(&Config::roles, caller.role);
    if (std::string place = of_entry(&Config::principals, caller.principal); !place.empty())
      return place;
    const auto principal = newer_.principals.find(caller.principal);
    if (principal == newer_.principals.end()) return "";
    for (const std::string& role : principal->second.roles) {
      if (std::string place = of_entry(&Config::roles, role); !place.empty()) return place;
    }
    return "";
  }

  /// Where `config` has a profile of the tool that `other` has not so.
  std::string of_profiles_in(const Config& config, const Config& other) const {
    const std::vector<const ToolProfile*> others = profiles_about(other, target_);
    for (const ToolProfile* profile : profiles_about(config, target_)) {
      const bool is_there = std::ranges::any_of(
          others, [profile](const ToolProfile* one) { return is_same(*one, *profile); });
      if (!is_there) return text(config, profile->where);
    }
    return "";
  }

  std::string of_profiles() const {
    std::string place = of_profiles_in(newer_, older_);
    return place.empty() ? of_profiles_in(older_, newer_) : place;
  }

  const Config& older_;
  const Config& newer_;
  const DiffTarget& target_;
  const PolicyChange& change_;
};

}  // namespace

std::string place_of_change(const Config& older, const Config& newer, const DiffTarget& target,
                            const PolicyChange& change) {
  return PlaceSearch(older, newer, target, change).find();
}

}  // namespace bartizan
