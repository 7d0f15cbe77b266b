#include "policy/review/find_covered_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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
      R"(p.toml:2:7 rule "one" asks in vain where it permits "files/read_text": )"
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

}  // namespace
}  // namespace bartizan
