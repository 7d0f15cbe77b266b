#include "policy/diff_policies.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "policy/edge_values.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

/// `+analyst files/write`, or `-` for what was lost; `(…)` for a part of it.
std::vector<std::string> changes(const Config& older, const Config& newer) {
  std::vector<std::string> told;
  for (const PolicyChange& change : diff_policies(older, newer, 1'000'000).changes) {
    const std::string what = change.is_whole ? change.what : "(" + change.what + ")";
    told.push_back((change.kind == PolicyChange::Kind::gained ? "+" : "-") + change.role +
                   change.principal + " " + what);
  }
  return told;
}

Config with(std::vector<RuleConfig> rules, std::vector<ToolProfile> profiles = {}) {
  Config config = sample_config();
  for (RuleConfig& rule : rules)
    add_rule(config, std::move(rule));
  config.tools = std::move(profiles);
  return config;
}

ToolProfile asking(std::string pointer, Predicate predicate) {
  ToolProfile profile{.pattern = "files/*"};
  profile.arguments.push_back({.pointer = std::move(pointer), .predicate = std::move(predicate)});
  return profile;
}

TEST(DiffPolicies, SaysWhatEachRoleGainsAndLoses) {
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  const RuleConfig all = sample_rule("all", permit, {"analyst"}, {"files/*"});
  const RuleConfig no = sample_rule("no", forbid, {"*"}, {"files/write"});
  const RuleConfig dan = [] {
    RuleConfig rule = sample_rule("dan", permit, {}, {"mail/send"});
    rule.principals = {"dan"};
    return rule;
  }();
  RuleConfig from_home = read;
  from_home.when.facts.push_back({.fact = AddressCondition{{"10.0.0.0/8"}}});
  RuleConfig from_more = read;
  from_more.when.facts.push_back({.fact = AddressCondition{{"10.0.0.0/8", "192.168.0.0/16"}}});
  RuleConfig expiring = read;
  expiring.expires = 2'000'000;
  const struct {
    std::string_view name;
    Config older, newer;
    std::vector<std::string> want;
  } rows[] = {
      {"nothing", with({read}), with({read}), {}},
      {"another name",
       with({read}),
       with({sample_rule("r", permit, {"analyst"}, {"files/read_text"})}),
       {}},
      {"a rule that permits what another does", with({all}), with({all, read}), {}},
      {"a tool", with({}), with({read}), {"+analyst files/read_text"}},
      {"the other way round", with({read}), with({}), {"-analyst files/read_text"}},
      {"a forbid", with({all}), with({all, no}), {"-analyst files/write"}},
      {"one principal's", with({}), with({dan}), {"+dan mail/send"}},
      {"more of an argument",
       with({read}, {asking("/n", NumberPredicate{"1", "10"})}),
       with({read}, {asking("/n", NumberPredicate{"1", "11"})}),
       {"+analyst (files/read_text)"}},
      {"less of one",
       with({read}, {asking("/n", OneOfPredicate{{"1", "2"}})}),
       with({read}, {asking("/n", OneOfPredicate{{"1"}})}),
       {"-analyst (files/read_text)"}},
      {"other values of it",
       with({read}, {asking("/n", OneOfPredicate{{"1", "2"}})}),
       with({read}, {asking("/n", OneOfPredicate{{"2", "3"}})}),
       {"+analyst (files/read_text)", "-analyst (files/read_text)"}},
      {"from more addresses", with({from_home}), with({from_more}), {"+analyst (files/read_text)"}},
      {"from everywhere", with({from_home}), with({read}), {"+analyst (files/read_text)"}},
      {"without an end", with({expiring}), with({read}), {"+analyst (files/read_text)"}},
      {"elements of an array",
       with({read}, {asking("/a/*", NumberPredicate{"", "3"})}),
       with({read}, {asking("/a/*", NumberPredicate{"", "4"})}),
       {"+analyst (files/read_text)"}},
      {"a method",
       with({}),
       with({sample_rule("log", permit, {"analyst"}, {"logging/setLevel"}, RuleTarget::methods)}),
       {"+analyst method logging/setLevel"}},
      {"resources",
       with({}),
       with({sample_rule("r", permit, {"analyst"}, {"files/file:///a/**"}, RuleTarget::resources)}),
       {"+analyst resource files/file:///a/**"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(changes(row.older, row.newer), row.want);
  }
}

TEST(DiffPolicies, TellsOfPrincipalsWhoseRolesChanged) {
  Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})});
  Config newer = older;
  newer.principals["dan"].roles = {"analyst"};
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"+dan files/read_text"});
  newer = older;
  newer.principals.erase("ann");
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"-ann files/read_text"});
}

Config looking(Predicate predicate, PathConfig::Resolve resolve) {
  Config config = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                       {asking("/a", std::move(predicate))});
  config.paths["docs"].resolve = resolve;
  return config;
}

// What the world outside answers is an edge like others, and stands in the witness.
TEST(DiffPolicies, TriesWhatOnlyTheWorldOutsideCanTell) {
  using enum PathConfig::Resolve;
  const PathPredicate path{"docs"};
  const auto url = [](bool resolve) {
    return UrlPredicate{.form = {.hosts = {"**.example.com"}, .resolve = resolve}};
  };
  const auto digest = [](char digit) { return DigestPredicate{{std::string(64, digit)}, "docs"}; };
  const std::vector<std::string> gains{"+analyst (files/read_text)"};
  const std::vector<std::string> losses{"-analyst (files/read_text)"};
  EXPECT_EQ(changes(looking(path, filesystem), looking(path, filesystem)),
            std::vector<std::string>());
  EXPECT_EQ(changes(looking(path, lexical), looking(path, filesystem)), losses);
  EXPECT_EQ(changes(looking(path, filesystem), looking(path, lexical)), gains);
  EXPECT_EQ(changes(looking(url(false), lexical), looking(url(true), lexical)), losses);
  EXPECT_EQ(changes(looking(url(true), lexical), looking(url(false), lexical)), gains);
  EXPECT_EQ(changes(looking(digest('1'), filesystem), looking(digest('2'), filesystem)).size(), 2U);

  Config files_only = looking(path, filesystem);
  files_only.paths["docs"].kind = PathConfig::Kind::file;
  const PolicyDiff diff = diff_policies(files_only, looking(path, filesystem), 0);
  ASSERT_FALSE(diff.changes.empty());
  EXPECT_FALSE(diff.changes[0].witness.facts.places.empty());
}

// What one finds, the policies confirm.
TEST(DiffPolicies, ShowsACallThatTheOtherRefuses) {
  const Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                            {asking("/path", PathPredicate{"docs"})});
  Config newer = older;
  newer.paths["docs"].root = "/srv";
  const PolicyDiff diff = diff_policies(older, newer, 0);
  ASSERT_FALSE(diff.changes.empty());
  EXPECT_EQ(diff.changes[0].reason, Reason::path_outside_root);
  EXPECT_EQ(diff.changes[0].pointer, "/path");
  EXPECT_EQ(diff.changes[0].witness.arguments, R"({"path":"../x"})");
  EXPECT_TRUE(diff.unfinished.empty());
}

TEST(EdgeValues, MakeArguments) {
  const struct {
    std::map<std::string, std::string> values;
    std::string_view want;
  } rows[] = {
      {{}, "{}"},
      {{{"/a", "1"}}, R"({"a":1})"},
      {{{"/a/b", "1"}, {"/a/c", "\"x\""}}, R"({"a":{"b":1,"c":"x"}})"},
      {{{"/a/*", "1"}}, R"({"a":[1]})"},
      {{{"/a/0", "1"}, {"/b/*/c", "2"}}, R"({"a":[1],"b":[{"c":2}]})"},
      {{{"/a", "1"}, {"/a/b", "2"}}, ""},
      {{{"/a~1b", "1"}}, R"({"a/b":1})"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(arguments_with(row.values), row.want);
}

}  // namespace
}  // namespace bartizan
