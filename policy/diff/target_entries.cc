#include "policy/diff/target_entries.h"

#include <cstddef>

#include "policy/access/rule_set.h"
#include "policy/diff/diff_scope.h"
#include "schemas/base/keep_each_once.h"

namespace bartizan {

TargetEntries::TargetEntries(const Config& config) : config_(config) {
  rules_.reserve(config.rules.size());
  for (const auto& [name, rule] : config.rules) {
    const auto number = static_cast<std::uint32_t>(rules_.size());
    rules_.push_back(&rule);
    const ApprovalTerms& terms = rule.approval;
    approvers_.insert(terms.approvers.begin(), terms.approvers.end());
    approving_principals_.insert(terms.principals.begin(), terms.principals.end());
    const TargetKind kind = target_kind(rule.target);
    if (rule.target == RuleTarget::methods) {
      of_methods_.push_back(number);
    } else if (kind == TargetKind::resource) {
      of_all_[kind].push_back(number);
    } else {
      for (const std::string& pattern : rule.patterns)
        by_pattern_[kind].add(pattern, number);
    }
  }
  for (std::size_t number = 0; number < config.tools.size(); ++number)
    profiles_.add(config.tools[number].pattern, static_cast<std::uint32_t>(number));
}

std::vector<const RuleConfig*> TargetEntries::rules_about(const DiffTarget& target) const {
  std::vector<std::uint32_t> numbers = of_methods_;
  if (const auto all = of_all_.find(target.kind); all != of_all_.end())
    numbers.insert(numbers.end(), all->second.begin(), all->second.end());
  if (const auto some = by_pattern_.find(target.kind); some != by_pattern_.end()) {
    some->second.search(target.server + "/" + target.name,
                        [&numbers](std::uint32_t number) { numbers.push_back(number); });
  }
  keep_each_once(numbers);
  std::vector<const RuleConfig*> rules;
  for (const std::uint32_t number : numbers) {
    if (is_about(*rules_[number], target)) rules.push_back(rules_[number]);
  }
  return rules;
}

std::vector<const ToolProfile*> TargetEntries::profiles_about(const DiffTarget& target) const {
  std::vector<std::uint32_t> numbers;
  profiles_.search(target.server + "/" + target.name,
                   [&numbers](std::uint32_t number) { numbers.push_back(number); });
  keep_each_once(numbers);
  std::vector<const ToolProfile*> profiles;
  for (const std::uint32_t number : numbers) {
    if (is_about(config_.tools[number], target)) profiles.push_back(&config_.tools[number]);
  }
  return profiles;
}

}  // namespace bartizan
