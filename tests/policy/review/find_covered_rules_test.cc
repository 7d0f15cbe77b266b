#include "policy/review/find_covered_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "config/same_entry.h"
#include "policy/text/match.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

std::vector<std::string> found_in(const Config& config) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_covered_rules(config))
    lines.push_back(problem.where + " " + problem.message);
  return lines;
}

Config with(std::vector<RuleConfig> rules) {
  Config config = sample_config();
  config.files = {"p.toml"};
  std::uint32_t line = 0;
  for (RuleConfig& rule : rules) {
    rule.where = {.file = 0, .line = ++line, .column = 7};
    add_rule(config, std::move(rule));
  }
  return config;
}

RuleConfig changed(RuleConfig rule, const std::function<void(RuleConfig&)>& change) {
  change(rule);
  return rule;
}

TEST(FindCoveredRules, TellsOfPermitsThatAreInVain) {
  const RuleConfig all = sample_rule("all", permit, {"analyst"}, {"files/*"});
  const RuleConfig one = sample_rule("one", permit, {"analyst"}, {"files/read_text"});
  const auto asks = [](RuleConfig& rule) {
    rule.when.arguments.push_back({.pointer = "/n", .predicate = NumberPredicate{"1", "10"}});
  };
  const auto ends = [](std::int64_t time) {
    return [time](RuleConfig& rule) { rule.expires = time; };
  };
  const auto named = [](const std::string& id) {
    return [id](RuleConfig& rule) {
      rule.roles.clear();
      rule.principals = {id};
    };
  };
  const std::string covered =
      R"(p.toml:2:7 rule "one" adds nothing where it permits "files/read_text": )"
      "covered by the wider permit rule.all at p.toml:1:7";
  const std::string in_vain =
      R"(p.toml:2:7 rule "one" has conditions without effect where it permits "files/read_text": )"
      "covered by the wider permit rule.all at p.toml:1:7";
  const struct {
    std::string_view name;
    std::vector<RuleConfig> rules;
    std::vector<std::string> want;
  } rows[] = {
      {"a narrower one, as one that was learned", {all, one}, {covered}},
      {"one with conditions", {all, changed(one, asks)}, {in_vain}},
      {"beside conditions", {changed(all, asks), one}, {}},
      {"the same conditions", {changed(all, asks), changed(one, asks)}, {covered}},
      {"another role", {changed(all, [](RuleConfig& r) { r.roles = {"developer"}; }), one}, {}},
      {"one of its roles",
       {all, changed(one, [](RuleConfig& r) { r.roles = {"analyst", "developer"}; })},
       {}},
      {"everyone", {changed(all, [](RuleConfig& r) { r.roles = {"*"}; }), one}, {covered}},
      {"a principal of the role", {all, changed(one, named("ann"))}, {covered}},
      {"a principal without it", {all, changed(one, named("dan"))}, {}},
      {"other tools", {all, changed(one, [](RuleConfig& r) { r.patterns = {"mail/send"}; })}, {}},
      {"one of its tools",
       {all, changed(one, [](RuleConfig& r) { r.patterns.emplace_back("mail/send"); })},
       {covered}},
      {"a wider one that ends", {changed(all, ends(9)), one}, {}},
      {"both end", {changed(all, ends(9)), changed(one, ends(9))}, {covered}},
      {"the wider one ends first", {changed(all, ends(8)), changed(one, ends(9))}, {}},
      {"beside a forbid",
       {changed(all, [](RuleConfig& r) { r.effect = forbid; }), one},
       {R"(p.toml:2:7 rule "one" never permits: rule "all" forbids all of it)"}},
      {"a forbid within", {all, changed(one, [](RuleConfig& r) { r.effect = forbid; })}, {}},
      {"the same twice",
       {all, changed(all, [](RuleConfig& r) { r.name = "one"; })},
       {R"(p.toml:2:7 rule "one" adds nothing where it permits "files/*": )"
        "covered by the wider permit rule.all at p.toml:1:7"}},
      {"two that share a tool, one of which has more",
       {sample_rule("a", permit, {"analyst"}, {"files/write", "files/read_text"}),
        sample_rule("b", permit, {"analyst"}, {"files/read_text"})},
       {R"(p.toml:2:7 rule "b" adds nothing where it permits "files/read_text": )"
        "covered by the wider permit rule.a at p.toml:1:7"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(found_in(with(row.rules)), row.want);
  }
}

/// The same sentences by their definition: every permit is held against every other rule.
class PlainSearch {
 public:
  explicit PlainSearch(const Config& config) : config_(config) {}

  std::vector<std::string> run() {
    for (const auto& [name, permit] : config_.rules) {
      if (permit.effect != Effect::permit) continue;
      review_shadowed(permit);
      review_covered(permit);
    }
    return lines_;
  }

 private:
  static bool has_conditions(const RuleConfig& rule) {
    return !rule.when.empty() || !rule.unless.empty();
  }
  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }
  static bool names_all(const RuleConfig& rule) {
    return has(rule.roles, "*") || has(rule.principals, "*");
  }
  static bool includes(const std::vector<std::string>& all, const std::vector<std::string>& some) {
    return !some.empty() &&
           std::ranges::all_of(some, [&](const std::string& one) { return has(all, one); });
  }
  bool is_of_role(const RuleConfig& rule, const std::string& id) const {
    const auto principal = config_.principals.find(id);
    return principal != config_.principals.end() &&
           std::ranges::any_of(principal->second.roles,
                               [&](const std::string& role) { return has(rule.roles, role); });
  }
  bool names_all_of(const RuleConfig& rule, const RuleConfig& other) const {
    if (names_all(rule) || names_all(other)) return names_all(rule);
    return includes(rule.roles, other.roles) || includes(rule.principals, other.principals) ||
           (!other.principals.empty() &&
            std::ranges::all_of(other.principals,
                                [&](const std::string& id) { return is_of_role(rule, id); }));
  }
  static bool covers(const RuleConfig& rule, const std::string& pattern) {
    return std::ranges::any_of(
        rule.patterns, [&](const std::string& one) { return Glob(one).covers(Glob(pattern)); });
  }
  static bool covers_all(const RuleConfig& rule, const RuleConfig& other) {
    return std::ranges::all_of(other.patterns,
                               [&](const std::string& pattern) { return covers(rule, pattern); });
  }
  bool asks_no_more(const RuleConfig& rule, const RuleConfig& other) const {
    const bool lasts = !rule.expires || (other.expires && *other.expires <= *rule.expires);
    const bool asks_the_same = !has_conditions(rule) || (is_same(rule.when, other.when) &&
                                                         is_same(rule.unless, other.unless));
    return lasts && asks_the_same && names_all_of(rule, other);
  }
  bool is_wider(const RuleConfig& rule, const RuleConfig& permit,
                const std::string& pattern) const {
    if (&rule == &permit || rule.effect != Effect::permit || rule.target != permit.target)
      return false;
    if (!asks_no_more(rule, permit) || !covers(rule, pattern)) return false;
    const bool goes_back = asks_no_more(permit, rule);
    const bool has_all = covers_all(rule, permit);
    const bool is_within = goes_back && covers_all(permit, rule);
    if (has_all != is_within) return has_all;
    return !goes_back || !has(rule.patterns, pattern) || rule.name < permit.name;
  }
  void tell(const RuleConfig& rule, const std::string& message) {
    lines_.push_back(text(config_, rule.where) + " rule \"" + rule.name + "\"" + message);
  }

  void review_shadowed(const RuleConfig& permit) {
    for (const auto& [name, rule] : config_.rules) {
      const bool forbids = rule.effect == Effect::forbid && !rule.observe && !has_conditions(rule);
      if (!forbids || rule.target != permit.target || !names_all_of(rule, permit) ||
          !covers_all(rule, permit))
        continue;
      return tell(permit, " never permits: rule \"" + name + "\" forbids all of it");
    }
  }

  void review_covered(const RuleConfig& permit) {
    const RuleConfig* wider = nullptr;
    std::string first;
    std::size_t count = 0;
    for (const std::string& pattern : permit.patterns) {
      for (const auto& [name, rule] : config_.rules) {
        if (!is_wider(rule, permit, pattern)) continue;
        if (wider == nullptr) wider = &rule;
        if (count++ == 0) first = pattern;
        break;
      }
    }
    if (wider == nullptr) return;
    const bool is_in_vain = has_conditions(permit) && !has_conditions(*wider);
    tell(permit, std::string(is_in_vain ? " has conditions without effect" : " adds nothing") +
                     " where it permits \"" + first + "\"" +
                     (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
                     ": covered by the wider permit rule." + wider->name + " at " +
                     text(config_, wider->where));
  }

  const Config& config_;
  std::vector<std::string> lines_;
};

/// A rule made of few names, so that many cover each other.
RuleConfig drawn_rule(std::mt19937& random, const std::string& name) {
  const auto one_of = [&random](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  RuleConfig rule = sample_rule(name, random() % 4 == 0 ? forbid : permit, {}, {});
  if (random() % 3 == 0) {
    rule.principals = {one_of({"ann", "dan", "eve"})};
    if (random() % 2 == 0) rule.principals.emplace_back("bob");
  } else {
    rule.roles = {one_of({"analyst", "developer", "admin", "*"})};
    if (rule.roles.front() != "*" && random() % 3 == 0) rule.roles.emplace_back("reader");
  }
  for (std::size_t left = 1 + random() % 3; left > 0; --left) {
    rule.patterns.push_back(one_of({"files/read", "files/read_*", "files/read_text", "files/*_text",
                                    "files/*", "files/**", "mail/*", "mail/send", "*/read", "**"}));
  }
  if (random() % 6 == 0) rule.target = RuleTarget::prompts;
  if (random() % 5 == 0) rule.expires = 5 + static_cast<int>(random() % 3);
  if (random() % 5 == 0)
    rule.when.arguments.push_back({.pointer = "/n", .predicate = NumberPredicate{"1", "10"}});
  rule.observe = rule.effect == forbid && random() % 4 == 0;
  return rule;
}

TEST(FindCoveredRules, TellsWhatHoldingEachAgainstEachTells) {
  std::mt19937 random(36);
  std::size_t told = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<RuleConfig> rules;
    for (std::size_t number = 0; number < 12; ++number)
      rules.push_back(drawn_rule(random, "r" + std::to_string(number)));
    Config config = with(std::move(rules));
    config.principals["ann"].roles = {"analyst"};
    config.principals["dan"].roles = {"developer", "reader"};
    config.principals["bob"].roles = {"analyst", "admin"};
    const std::vector<std::string> lines = found_in(config);
    EXPECT_EQ(lines, PlainSearch(config).run()) << "round " << round;
    told += lines.size();
  }
  EXPECT_GT(told, 1000U);
}

// Work is counted, not time: what is told depends on the configuration alone.
TEST(FindCoveredRules, SaysWhereItsStepsRanOut) {
  std::vector<RuleConfig> rules;
  for (const std::string name : {"a", "b", "c", "d"})
    rules.push_back(sample_rule(name, permit, {"analyst"}, {"files/*"}));
  const Config config = with(std::move(rules));
  const auto first_line = [](const std::string& after) {
    return "p.toml:1:1 advice stopped after " + after +
           " of 4 rules: the remaining rules were not checked for having no effect";
  };
  EXPECT_EQ(found_in(config).size(), 3U);
  const struct {
    std::size_t steps;
    std::vector<std::string> want_last;
  } rows[] = {{0, {first_line("0")}}, {3, {first_line("0")}}, {20, {first_line("1")}}};
  for (const auto& row : rows) {
    std::vector<std::string> lines;
    for (const ConfigProblem& problem : find_covered_rules(config, row.steps))
      lines.push_back(problem.where + " " + problem.message);
    EXPECT_EQ(lines, row.want_last) << row.steps;
  }
}

// Each of many rules is held against those alone that could cover it.
TEST(FindCoveredRules, NeedsStepsForWhatIsAlike) {
  std::vector<RuleConfig> rules;
  for (int number = 0; number < 4'000; ++number) {
    const std::string name = std::to_string(number);
    rules.push_back(
        sample_rule("r" + name, permit, {"analyst"}, {"files/*_" + name, "files/read_" + name}));
  }
  const Config config = with(std::move(rules));
  EXPECT_TRUE(find_covered_rules(config, 100'000).empty());
}

}  // namespace
}  // namespace bartizan
