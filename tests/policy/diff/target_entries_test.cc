#include "policy/diff/target_entries.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "policy/diff/diff_scope.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

/// By the definition: each is asked.
template <class Entries, class Of>
auto asked_one_by_one(const Entries& entries, const DiffTarget& target, const Of& of) {
  std::vector<decltype(&of(*entries.begin()))> found;
  for (const auto& entry : entries) {
    if (is_about(of(entry), target)) found.push_back(&of(entry));
  }
  return found;
}

TEST(TargetEntries, AreThoseThatAreAboutTheTarget) {
  std::mt19937 random(5);
  const std::vector<std::string> patterns{"files/read", "files/read_*", "files/*_text", "files/*",
                                          "files/**",   "mail/send",    "*/read",       "**"};
  const auto pattern = [&] { return patterns[random() % patterns.size()]; };
  std::size_t rules = 0;
  std::size_t profiles = 0;
  for (int round = 0; round < 100; ++round) {
    Config config = sample_config();
    for (int number = 0; number < 10; ++number) {
      RuleConfig rule = sample_rule("r" + std::to_string(number), Effect::permit, {"analyst"},
                                    {pattern(), pattern()});
      rule.target = static_cast<RuleTarget>(random() % 4);
      add_rule(config, std::move(rule));
      config.tools.push_back({.pattern = pattern()});
    }
    const TargetEntries entries(config);
    for (const TargetKind kind :
         {TargetKind::none, TargetKind::tool, TargetKind::resource, TargetKind::prompt}) {
      for (const std::string name : {"read", "read_text", "send", "other/below"}) {
        const DiffTarget target{.kind = kind, .server = "files", .name = name};
        const auto of_rules =
            asked_one_by_one(config.rules, target,
                             [](const auto& entry) -> const RuleConfig& { return entry.second; });
        const auto of_profiles = asked_one_by_one(
            config.tools, target, [](const ToolProfile& one) -> const ToolProfile& { return one; });
        EXPECT_EQ(entries.rules_about(target), of_rules);
        EXPECT_EQ(entries.profiles_about(target), of_profiles);
        rules += of_rules.size();
        profiles += of_profiles.size();
      }
    }
  }
  EXPECT_GT(rules, 1000U);
  EXPECT_GT(profiles, 1000U);
}

TEST(TargetEntries, KnowWhoMayApprove) {
  Config config = sample_config();
  RuleConfig rule = sample_rule("r", Effect::require_approval, {"analyst"}, {"files/*"});
  rule.approval.approvers = {"developer"};
  add_rule(config, std::move(rule));
  const TargetEntries entries(config);
  EXPECT_TRUE(entries.is_approver("developer"));
  EXPECT_FALSE(entries.is_approver("analyst"));
}

}  // namespace
}  // namespace bartizan
