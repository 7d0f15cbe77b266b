#include "policy/diff/diff_policies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "policy/diff/edge_values.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

/// `+analyst files/write`, or `-` for what was lost; `(…)` for a part of it.
std::vector<std::string> changes(const Config& older, const Config& newer) {
  std::vector<std::string> told;
  for (const PolicyChange& change : diff_policies(older, newer, 1'000'000).changes) {
    const std::string_view sign = change.kind == PolicyChange::Kind::gained ? "+" : "-";
    for (const DiffCaller& caller : change.callers) {
      for (const std::string& what : change.what) {
        const std::string shown = change.is_whole ? what : "(" + what + ")";
        told.push_back(std::string(sign) + caller.role + caller.principal + " " + shown);
      }
    }
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

bool has(const std::vector<std::string>& told, std::string_view one) {
  return std::ranges::find(told, one) != told.end();
}

/// What the lock file keeps of a tool with this schema.
void pin(Config& config, const std::string& tool, const std::string& schema) {
  config.pins.tools["files"][tool] = {
      .fingerprint = "x",
      .definition = R"({"name":")" + tool + R"(","inputSchema":)" + schema + "}",
      .is_approved = true};
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
  // It is 13:46 on a Monday, UTC.
  RuleConfig at_night = read;
  at_night.when.facts.push_back({.fact = TimeCondition{.from = 120, .to = 180, .zone = "UTC"}});
  RuleConfig at_noon = read;
  at_noon.when.facts.push_back(
      {.fact = TimeCondition{.from = 12 * 60 + 10, .to = 12 * 60 + 40, .zone = "UTC"}});
  RuleConfig all_at_night = at_night;
  all_at_night.patterns = {"files/read_text", "files/write"};
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
      {"in a window that is closed at the moment",
       with({}),
       with({at_night}),
       {"+analyst files/read_text"}},
      {"in a window of half an hour", with({}), with({at_noon}), {"+analyst files/read_text"}},
      {"more in such a window", with({at_night}), with({all_at_night}), {"+analyst files/write"}},
      {"such a window that goes", with({at_night}), with({}), {"-analyst files/read_text"}},
      {"a window in place of always",
       with({read}),
       with({at_night}),
       {"-analyst (files/read_text)"}},
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

  Config texts_only = looking(path, filesystem);
  texts_only.paths["docs"].content = PathConfig::Content::text;
  EXPECT_EQ(changes(looking(path, filesystem), texts_only), losses);
  EXPECT_EQ(changes(texts_only, looking(path, filesystem)), gains);

  Config files_only = looking(path, filesystem);
  files_only.paths["docs"].kind = PathConfig::Kind::file;
  const PolicyDiff diff = diff_policies(files_only, looking(path, filesystem), 0);
  ASSERT_FALSE(diff.changes.empty());
  EXPECT_FALSE(diff.changes[0].witness.facts.places.empty());
}

// Of values that predicates judge alike, a schema may take one and not the other.
TEST(DiffPolicies, TriesValuesThatASchemaTakes) {
  const std::string object = R"({"type":"object","properties":{"n":{"type":"integer"},"path":)";
  for (const std::string schema :
       {R"({"type":"string","pattern":"\\.md$"})", R"({"enum":["/srv/data/one"]})",
        R"({"type":"string","minLength":14})",
        R"({"$ref":"#/$defs/p"}},"$defs":{"p":{"const":"/srv/data/one"})",
        R"({}},"anyOf":[{"properties":{"path":{"pattern":"\\.md$"}}}],"x":{)"}) {
    SCOPED_TRACE(schema);
    const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
    ToolProfile profile = asking("/path", PathPredicate{"docs"});
    profile.arguments.push_back({.pointer = "/n", .predicate = NumberPredicate{"1", "10"}});
    Config pinned = with({read}, {profile});
    pin(pinned, "read_text", object + schema + "}}");
    profile.schema = object + schema + "}}";
    for (const Config& older : {pinned, with({read}, {profile})}) {
      Config newer = older;
      newer.tools[0].arguments[1].predicate = NumberPredicate{"1", "11"};
      EXPECT_EQ(changes(older, newer), std::vector<std::string>{"+analyst (files/read_text)"});
    }
  }
  // What a profile's schema asks no longer.
  Config narrow = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                       {asking("/path", PathPredicate{"docs"})});
  narrow.tools[0].schema = object + R"({"pattern":"\\.md$"}}})";
  Config wide = narrow;
  wide.tools[0].schema.clear();
  EXPECT_TRUE(has(changes(narrow, wide), "+analyst (files/read_text)"));
}

/// A profile of all tools of the server, with these arguments that may be missing.
ToolProfile optional_arguments(const std::vector<std::pair<std::string, Predicate>>& arguments) {
  ToolProfile profile{.pattern = "files/*"};
  for (const auto& [pointer, predicate] : arguments)
    profile.arguments.push_back({.pointer = pointer, .predicate = predicate, .optional = true});
  return profile;
}

// A rule or profile that asks for more permits only a part of what was permitted.
TEST(DiffPolicies, NarrowingIsNeverAGain) {
  const std::pair<std::string, Predicate> number{"/n", NumberPredicate{"1", "9"}};
  const std::vector<std::pair<std::string, Predicate>> added{
      {"/path", PathPredicate{"docs"}},
      {"/paths/*", PathPredicate{"docs"}},
      {"/n", NumberPredicate{"1", "10"}},
      {"/deep/n", OneOfPredicate{{"1", "\"a\""}}},
      {"/text", TextPredicate{.max_length = 3}},
      {"/gone", AbsentPredicate{}},
      {"/url", UrlPredicate{.form = {.hosts = {"**.example.com"}, .resolve = true}}},
      {"/file", DigestPredicate{{std::string(64, '1')}, "docs"}},
  };
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  const std::string schema =
      R"({"type":"object","required":["m"],"properties":{"m":{"type":"string"},"n":{},"path":{}}})";
  const struct {
    std::string_view name;
    std::vector<ToolProfile> profiles;
    bool is_open, is_pinned;
  } rows[] = {
      {"without a profile", {}, false, false},
      {"without a profile, pinned", {}, false, true},
      {"beside another predicate, which leaves arguments open",
       {optional_arguments({number})},
       true,
       false},
      {"the same of a pinned tool", {optional_arguments({number})}, true, true},
  };
  for (const auto& row : rows) {
    for (const auto& [pointer, predicate] : added) {
      SCOPED_TRACE(std::string(row.name) + ": " + pointer);
      Config older = with({read}, row.profiles);
      older.policy.allow_unguarded_arguments = row.is_open;
      if (row.is_pinned) pin(older, "read_text", schema);
      Config by_profile = older;
      by_profile.tools.push_back(optional_arguments({{pointer, predicate}}));
      Config by_condition = older;
      by_condition.rules.at("read").when.arguments.push_back(
          {.pointer = pointer, .predicate = predicate});
      for (const Config& newer : {by_profile, by_condition}) {
        const std::vector<std::string> told = changes(older, newer);
        EXPECT_FALSE(has(told, "+analyst (files/read_text)"));
        EXPECT_FALSE(has(told, "+analyst files/read_text"));
      }
    }
  }
}

// The almost narrowing: the argument was refused, because other arguments have predicates.
TEST(DiffPolicies, APredicateForARefusedArgumentIsAGain) {
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  const Config older = with({read}, {optional_arguments({{"/n", NumberPredicate{"1", "9"}}})});
  Config newer = older;
  newer.tools.push_back(optional_arguments({{"/path", PathPredicate{"docs"}}}));
  const PolicyDiff diff = diff_policies(older, newer, 0);
  ASSERT_EQ(diff.changes.size(), 1U);
  EXPECT_EQ(diff.changes[0].kind, PolicyChange::Kind::gained);
  EXPECT_FALSE(diff.changes[0].is_whole);
  EXPECT_EQ(diff.changes[0].reason, Reason::argument_unguarded);
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

// A schema lets only such calls through as have all that it requires.
TEST(DiffPolicies, MakesUpWhatASchemaRequires) {
  Config older = with({});
  pin(older, "read_text", R"({"type":"object","required":["path","mode","n","deep","list"],
      "properties":{"path":{"type":"string","minLength":3},"mode":{"enum":["fast"]},
      "n":{"type":"integer","minimum":7},"list":{"type":"array","minItems":1,
      "items":{"type":"boolean"}},"deep":{"type":"object","required":["x"],
      "properties":{"x":{"const":null}}}}})");
  Config newer = older;
  add_rule(newer, sample_rule("read", permit, {"analyst"}, {"files/read_text"}));
  const PolicyDiff diff = diff_policies(older, newer, 0);
  ASSERT_EQ(diff.changes.size(), 1U);
  EXPECT_EQ(diff.changes[0].witness.arguments,
            R"({"deep":{"x":null},"list":[true],"mode":"fast","n":7,"path":"aaa"})");
}

TEST(DiffPolicies, TriesAllThatPathsAsk) {
  const struct {
    std::string_view name;
    std::function<void(PathConfig&)> narrow;
  } rows[] = {
      {"extensions", [](PathConfig& path) { path.extensions = {".csv"}; }},
      {"hidden", [](PathConfig& path) { path.refuse_hidden = true; }},
      {"allow", [](PathConfig& path) { path.allow = {"reports"}; }},
      {"deny", [](PathConfig& path) { path.deny = {"secret/*"}; }},
      {"deny_names", [](PathConfig& path) { path.deny_names = {"*.key"}; }},
      {"windows_names", [](PathConfig& path) { path.refuse_windows_names = true; }},
      {"writable", [](PathConfig& path) { path.writable = {{"REPORT_{date}_{nn}.md"}}; }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Config wide = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                             {asking("/path", PathPredicate{"docs"})});
    Config narrow = wide;
    row.narrow(narrow.paths["docs"]);
    EXPECT_EQ(changes(narrow, wide), std::vector<std::string>{"+analyst (files/read_text)"});
    EXPECT_EQ(changes(wide, narrow), std::vector<std::string>{"-analyst (files/read_text)"});
  }
}

// What one property refuses shows only where every other lets it pass.
TEST(DiffPolicies, TriesEachPropertyOfAPathBesideEachOther) {
  const struct {
    std::string_view name;
    std::function<void(PathConfig&)> narrow;
  } properties[] = {
      {"extensions", [](PathConfig& path) { path.extensions = {".csv"}; }},
      {"kind", [](PathConfig& path) { path.kind = PathConfig::Kind::file; }},
      {"hidden", [](PathConfig& path) { path.refuse_hidden = true; }},
      {"allow", [](PathConfig& path) { path.allow = {"reports"}; }},
      {"deny", [](PathConfig& path) { path.deny = {"reports/secret/*"}; }},
      {"deny_names", [](PathConfig& path) { path.deny_names = {"*.key"}; }},
      {"windows_names", [](PathConfig& path) { path.refuse_windows_names = true; }},
      {"writable", [](PathConfig& path) { path.writable = {{"reports/**"}}; }},
  };
  for (const auto& beside : properties) {
    Config wide = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                       {asking("/path", PathPredicate{"docs"})});
    beside.narrow(wide.paths["docs"]);
    for (const auto& changed : properties) {
      // What may be written is what may be read.
      const bool says_the_same = (beside.name == "writable" && changed.name == "allow") ||
                                 (beside.name == "allow" && changed.name == "writable");
      if (beside.name == changed.name || says_the_same) continue;
      SCOPED_TRACE(std::string(changed.name) + " beside " + std::string(beside.name));
      Config narrow = wide;
      changed.narrow(narrow.paths["docs"]);
      EXPECT_EQ(changes(narrow, wide), std::vector<std::string>{"+analyst (files/read_text)"});
      EXPECT_EQ(changes(wide, narrow), std::vector<std::string>{"-analyst (files/read_text)"});
    }
  }
}

TEST(DiffPolicies, TriesSeveralPropertiesOfAPathAtOnce) {
  const auto change = [](const std::function<void(PathConfig&)>& all,
                         const std::function<void(PathConfig&)>& narrow) {
    Config wide = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                       {asking("/path", PathPredicate{"docs"})});
    all(wide.paths["docs"]);
    Config narrower = wide;
    narrow(narrower.paths["docs"]);
    return std::pair(changes(narrower, wide), changes(wide, narrower));
  };
  const auto hides = [](PathConfig& path) { path.refuse_hidden = true; };
  const std::pair<std::vector<std::string>, std::vector<std::string>> both{
      {"+analyst (files/read_text)"}, {"-analyst (files/read_text)"}};
  // Hidden names matter only within what `allow` has, and with one of the extensions.
  EXPECT_EQ(change(
                [](PathConfig& path) {
                  path.kind = PathConfig::Kind::file;
                  path.extensions = {".md", ".csv"};
                  path.allow = {"reports/*/out", "notes/*.md"};
                },
                hides),
            both);
  // A denied folder within what is allowed, with names that must not be hidden.
  EXPECT_EQ(change(
                [](PathConfig& path) {
                  path.extensions = {".md"};
                  path.refuse_hidden = true;
                  path.allow = {"reports"};
                },
                [](PathConfig& path) { path.deny = {"reports/secret"}; }),
            both);
  // Nothing hidden can be named either way.
  EXPECT_EQ(change([](PathConfig& path) { path.writable = {{"REPORT_{date}_{nn}.md"}}; }, hides),
            (std::pair<std::vector<std::string>, std::vector<std::string>>()));
}

// Two servers run in two folders, which relative paths start from.
TEST(DiffPolicies, TriesRelativePathsWhereAServerMoves) {
  const Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                            {asking("/path", PathPredicate{"docs"})});
  Config newer = older;
  newer.servers["files"].cwd = "/elsewhere";
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"-analyst (files/read_text)"});
}

TEST(DiffPolicies, ShowsTheSmallestCall) {
  const Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                            {{.pattern = "files/*",
                              .arguments = {{"/a", NumberPredicate{"1", "10"}, true},
                                            {"/b", NumberPredicate{"1", "10"}, false},
                                            {"/c", NumberPredicate{"1", "10"}, true}}}});
  Config newer = older;
  newer.tools[0].arguments[0].predicate = NumberPredicate{"1", "20"};
  const PolicyDiff diff = diff_policies(older, newer, 0);
  ASSERT_EQ(diff.changes.size(), 1U);
  EXPECT_EQ(diff.changes[0].witness.arguments, R"({"a":11,"b":1})");
  EXPECT_FALSE(diff.changes[0].witness.facts.time.has_value());
}

// What can be said in one sentence is said once.
TEST(DiffPolicies, GathersWhatHasTheSameAnswer) {
  Config older = with({sample_rule("read", permit, {"analyst", "developer"}, {"files/*"}),
                       sample_rule("own", permit, {}, {"mail/send"})},
                      {asking("/n", NumberPredicate{"1", "10"})});
  older.rules["own"].principals = {"bob"};
  for (const std::string tool : {"read_text", "read_bytes", "write"})
    pin(older, tool, R"({"type":"object","properties":{"n":{"type":"integer"}}})");
  Config newer = older;
  newer.tools[0].arguments[0].predicate = NumberPredicate{"1", "11"};
  newer.tools[0].arguments[0].where = {.file = 0, .line = 7, .column = 3};
  newer.files = {"new.toml"};
  const PolicyDiff diff = diff_policies(older, newer, 0);
  ASSERT_EQ(diff.changes.size(), 1U);
  const PolicyChange& change = diff.changes[0];
  EXPECT_EQ(change.callers, (std::vector<DiffCaller>{{.role = "analyst"}, {.role = "developer"}}));
  EXPECT_EQ(change.what, (std::vector<std::string>{"files/*", "files/read_bytes", "files/read_text",
                                                   "files/write"}));
  EXPECT_EQ(change.where, "new.toml:7:3");
  EXPECT_EQ(change.witness.roles, std::vector<std::string>{"analyst"});

  // The second is now bound by a rule of its own, and gains nothing.
  RuleConfig no = sample_rule("no", forbid, {"developer"}, {"files/write"});
  add_rule(older, no);
  add_rule(newer, no);
  const PolicyDiff apart = diff_policies(older, newer, 0);
  ASSERT_EQ(apart.changes.size(), 2U);
  EXPECT_EQ(apart.changes[0].what.size(), 4U);
  EXPECT_EQ(apart.changes[1].callers, (std::vector<DiffCaller>{{.role = "developer"}}));
  EXPECT_EQ(apart.changes[1].what.size(), 3U);
}

Position at_line(std::uint32_t line) {
  return {.file = 0, .line = line, .column = 1};
}

TEST(DiffPolicies, PointsAtWhatChanged) {
  const auto at = at_line;
  Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"}),
                       sample_rule("no", forbid, {"*"}, {"files/write"}),
                       sample_rule("all", permit, {"developer"}, {"files/*"})},
                      {asking("/path", PathPredicate{"docs"})});
  older.files = {"old.toml"};
  older.rules["no"].where = at(1);
  older.tools[0].permissions = {"read:filesystem"};
  older.roles["developer"].where = at(2);
  older.principals["bob"].where = at(3);
  older.paths["docs"].where = at(4);
  older.tools[0].arguments[0].where = at(5);
  older.policy.where = at(6);
  older.tools[0].where = at(8);
  const struct {
    std::string_view name;
    std::function<void(Config&)> change;
    std::string_view want;
  } rows[] = {
      {"a role", [](Config& c) { c.roles["developer"].permissions = {"read:*"}; }, "new.toml:2:1"},
      {"a principal", [](Config& c) { c.principals["bob"].roles = {"analyst"}; }, "new.toml:3:1"},
      {"a place", [](Config& c) { c.paths["docs"].root = "/srv"; }, "new.toml:4:1"},
      {"what an argument must be",
       [](Config& c) { c.tools[0].arguments[0].predicate = TextPredicate{}; }, "new.toml:5:1"},
      {"whether it must be there", [](Config& c) { c.tools[0].arguments[0].optional = true; },
       "new.toml:5:1"},
      {"what nothing names", [](Config& c) { c.policy.allow_unguarded_arguments = true; },
       "new.toml:6:1"},
      {"what the tool asks for, beside a role's other grants",
       [](Config& c) {
         c.tools[0].permissions.clear();
         c.roles["developer"].permissions = {"read:mail"};
         c.roles["analyst"].permissions.emplace_back("read:mail");
       },
       "new.toml:8:1"},
      {"a grant, beside words of a rule",
       [](Config& c) {
         c.roles["developer"].permissions = {"read:filesystem"};
         c.rules["all"].remediation = "ask";
         c.rules["all"].where = at_line(9);
       },
       "new.toml:2:1"},
      {"a rule that is gone",
       [](Config& c) {
         c.rules.erase("no");
         c.tools.clear();
       },
       "old.toml:1:1"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Config newer = older;
    newer.files = {"new.toml"};
    row.change(newer);
    const PolicyDiff diff = diff_policies(older, newer, 0);
    ASSERT_FALSE(diff.changes.empty());
    const bool is_pointed_at = std::ranges::any_of(
        diff.changes, [&row](const PolicyChange& change) { return change.where == row.want; });
    EXPECT_TRUE(is_pointed_at) << diff.changes[0].where;
    for (const PolicyChange& change : diff.changes) {
      EXPECT_EQ(change.where_in == DiffSide::older, change.where.starts_with("old.toml"));
    }
  }
}

TEST(DiffPolicies, AsksWithApprovals) {
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  RuleConfig approved = sample_rule("ask", require_approval, {"*"}, {"files/*"});
  Config nobody = with({read, approved});
  approved.approval.approvers = {"admin"};
  Config somebody = with({read, approved});
  for (Config* config : {&nobody, &somebody}) {
    config->roles["admin"] = {.name = "admin"};
    config->principals["eve"] = {.id = "eve", .roles = {"admin"}};
  }
  EXPECT_EQ(changes(nobody, somebody), std::vector<std::string>{"+analyst files/read_text"});
  const PolicyDiff diff = diff_policies(nobody, somebody, 0);
  EXPECT_EQ(diff.changes[0].witness.facts.approved_by, std::vector<std::string>{"eve"});
}

// A schema that asks for less does not hide what a rule gives.
TEST(DiffPolicies, JudgesByTheNewerDefinition) {
  Config older = with({});
  pin(older, "read_text", R"({"type":"object","required":["a","b"],"additionalProperties":false,
      "properties":{"a":{"type":"string"},"b":{"type":"string"}}})");
  Config newer = older;
  pin(newer, "read_text", R"({"type":"object","required":["b"],"additionalProperties":false,
      "properties":{"b":{"type":"string"}}})");
  add_rule(newer, sample_rule("read", permit, {"analyst"}, {"files/read_text"}));
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"+analyst files/read_text"});
}

// What a rule of one side alone asks for is an argument to both.
TEST(DiffPolicies, KnowsTheArgumentsOfEitherSide) {
  RuleConfig small = sample_rule("small", permit, {"analyst"}, {"files/read_text"});
  small.when.arguments.push_back({.pointer = "/n", .predicate = NumberPredicate{"1", "10"}});
  EXPECT_EQ(changes(with({small}), with({})), std::vector<std::string>{"-analyst files/read_text"});
  RuleConfig evil = sample_rule("evil", forbid, {"*"}, {"files/*"});
  evil.when.arguments.push_back(
      {.pointer = "/x", .predicate = OneOfPredicate{{"\"evil\""}}, .optional = true});
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  EXPECT_EQ(changes(with({read, evil}), with({read})),
            std::vector<std::string>{"+analyst (files/read_text)"});
}

TEST(DiffPolicies, TriesWhatNoPredicateNames) {
  const Config older = with({sample_rule("read", permit, {"analyst"}, {"files/read_text"})},
                            {asking("/n", NumberPredicate{"1", "10"})});
  Config newer = older;
  newer.policy.allow_unguarded_arguments = true;
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"+analyst (files/read_text)"});
}

TEST(DiffPolicies, TriesEveryMethod) {
  RuleConfig log = sample_rule("m", permit, {"analyst"}, {"logging/setLevel"}, RuleTarget::methods);
  RuleConfig all = log;
  all.patterns = {"*"};
  const auto told = changes(with({log}), with({all}));
  EXPECT_TRUE(has(told, "+analyst method subscriptions/listen"));
  EXPECT_FALSE(has(told, "+analyst method logging/setLevel"));
  RuleConfig read =
      sample_rule("r", permit, {"analyst"}, {"files/file:///a/**"}, RuleTarget::resources);
  read.when.facts.push_back({.fact = MethodCondition{{"resources/read"}}});
  RuleConfig subscribe = read;
  subscribe.when.facts.front().fact = MethodCondition{{"resources/read", "resources/subscribe"}};
  EXPECT_EQ(changes(with({read}), with({subscribe})),
            std::vector<std::string>{"+analyst (resource files/file:///a/**)"});
}

// What a role gains a little of, one who has it may gain wholly.
TEST(DiffPolicies, TellsOfAPrincipalsOwnGainBesideItsRoles) {
  const RuleConfig read = sample_rule("read", permit, {"analyst"}, {"files/read_text"});
  const Config older = with({read}, {asking("/n", NumberPredicate{"1", "10"})});
  Config newer = older;
  newer.tools[0].arguments[0].predicate = NumberPredicate{"1", "11"};
  RuleConfig own = sample_rule("own", permit, {}, {"files/write"});
  own.principals = {"ann"};
  add_rule(newer, own);
  EXPECT_EQ(changes(older, newer),
            (std::vector<std::string>{"+analyst (files/read_text)", "+ann files/write"}));
}

TEST(DiffPolicies, SaysWhatItDidNotComeTo) {
  const Config older = with({});
  const Config newer = with({sample_rule("a", permit, {"analyst"}, {"files/read_text"}),
                             sample_rule("b", permit, {"analyst"}, {"mail/send"})});
  const PolicyDiff diff = diff_policies(older, newer, 0, {.tries_max = 1});
  EXPECT_FALSE(diff.unfinished.empty());
  EXPECT_TRUE(diff_policies(older, newer, 0).unfinished.empty());
}

// Whoever asked may not wait for all of it, and whatever was found by then is told.
TEST(DiffPolicies, EndsWhenItIsOver) {
  const Config older = with({});
  const Config newer = with({sample_rule("a", permit, {"analyst"}, {"files/read_text"}),
                             sample_rule("b", permit, {"analyst"}, {"mail/send"})});
  const std::vector<std::string> all{"files/read_text", "mail/send"};
  std::size_t asked = 0;
  diff_policies(older, newer, 0, {.is_over = [&asked] { return ++asked == 0; }});
  bool has_part = false;
  for (std::size_t last = 0; last < asked; ++last) {
    SCOPED_TRACE(last);
    std::size_t left = last;
    const auto is_over = [&left] {
      if (left > 0) --left;
      return left == 0;
    };
    const PolicyDiff diff = diff_policies(older, newer, 0, {.is_over = is_over});
    EXPECT_FALSE(diff.unfinished.empty());
    if (last == 0) EXPECT_EQ(diff.unfinished, all);
    has_part = has_part || !diff.changes.empty();
  }
  EXPECT_TRUE(has_part);
}

// What is the same in both is not asked about, and many arguments are tried two at a time.
TEST(DiffPolicies, ComesToAnEndWithManyArguments) {
  Config older = with({sample_rule("read", permit, {"analyst"}, {"files/*"})});
  ToolProfile profile{.pattern = "files/read_text"};
  for (int i = 0; i < 12; ++i) {
    profile.arguments.push_back({.pointer = "/n" + std::to_string(i),
                                 .predicate = NumberPredicate{"1", "10"},
                                 .optional = true});
  }
  older.tools = {profile};
  Config newer = older;
  newer.tools[0].arguments[11].predicate = NumberPredicate{"1", "11"};
  const PolicyDiff diff = diff_policies(older, newer, 0);
  EXPECT_EQ(changes(older, newer), std::vector<std::string>{"+analyst (files/read_text)"});
  EXPECT_TRUE(diff.unfinished.empty());
}

TEST(DiffSettings, TellsOfWhatBindsCallsBesideRules) {
  using std::chrono::hours;
  using std::chrono::seconds;
  const auto changed = [](const std::function<void(Config&)>& change) {
    const Config older = [] {
      Config config = sample_config();
      config.limits["user"] = {.name = "user",
                               .per = {LimitKey::principal},
                               .rates = {{.count = 5, .window = seconds(1)}}};
      config.flows["leak"] = {
          .name = "leak", .after = {ToolLabel::untrusted}, .to = {ToolLabel::public_sink}};
      ToolProfile profile{.pattern = "files/*", .cost = 5, .labels = {ToolLabel::private_data}};
      profile.arguments.push_back({.pointer = "/n", .predicate = FixedPredicate{"1"}});
      config.tools = {profile};
      config.servers["files"].labels = {ToolLabel::untrusted};
      config.servers["mail"].sandbox = {.level = SandboxConfig::Level::process,
                                        .network = SandboxConfig::Network::none,
                                        .write = {"/srv"},
                                        .processes = 8};
      config.servers["mail"].executables = {{"/bin/mail", "11"}};
      config.servers["mail"].elicitation_urls = "pages";
      config.urls["pages"] = {.name = "pages", .form = {.hosts = {"example.com"}}};
      config.redactions["secrets"].keep["link"] = {.name = "link",
                                                   .detectors = {"url.presigned"},
                                                   .hosts = {"example.com"},
                                                   .expires = 2'000'000'000};
      config.auth.api_keys = {
          {.name = "laptop", .principal = "ann", .sha256 = "a", .expires = 100}};
      add_rule(config, sample_rule("ask", require_approval, {"*"}, {"files/write"}));
      add_rule(config, sample_rule("no", forbid, {"*"}, {"files/write"}));
      return config;
    }();
    Config newer = older;
    change(newer);
    std::vector<std::string> told;
    for (const SettingChange& one : diff_settings(older, newer)) {
      const bool is_gain = one.kind == SettingChange::Kind::gained;
      told.push_back((is_gain ? "+" : "-") + one.what + " " + one.how);
    }
    return told;
  };
  const struct {
    std::function<void(Config&)> change;
    std::vector<std::string> want;
  } rows[] = {
      {[](Config&) {}, {}},
      {[](Config& c) { c.limits.erase("user"); }, {"+limit user is gone"}},
      {[](Config& c) { c.limits["user"].rates[0].count = 6; }, {"+limit user is another one"}},
      {[](Config& c) { c.limits["user"].rates[0].count = 4; }, {"-limit user is stricter"}},
      {[](Config& c) { c.limits["user"].concurrency = 1; }, {"-limit user is stricter"}},
      {[](Config& c) { c.limits["user"].burst = 9; }, {"+limit user is another one"}},
      {[](Config& c) { c.limits["user"].per = {}; }, {"+limit user is another one"}},
      {[](Config& c) { c.limits["new"] = {.name = "new"}; }, {"-limit new is new"}},
      {[](Config& c) { c.flows.clear(); }, {"+flow leak is gone"}},
      {[](Config& c) { c.flows["leak"].effect = require_approval; }, {"+flow leak is another one"}},
      {[](Config& c) { c.flows["leak"].window = hours(9); }, {"-flow leak is stricter"}},
      {[](Config& c) { c.flows["leak"].window = seconds(9); }, {"+flow leak is another one"}},
      {[](Config& c) { c.servers["files"].client_features = {ClientFeature::sampling}; },
       {"+server files may use sampling of clients"}},
      {[](Config& c) { c.servers["files"].elicitation_urls = "pages"; },
       {"+server files may send users to the URLs of [url.pages]"}},
      {[](Config& c) { c.tools.clear(); },
       {"+tool files/* has no longer the label private", "+tool files/* costs less",
        "+tool files/* /n is no longer fixed"}},
      {[](Config& c) { c.tools[0].arguments[0].predicate = FixedPredicate{"2"}; },
       {"+tool files/* /n is fixed to another value"}},
      {[](Config& c) { c.limits["user"].queue = 100; }, {"+limit user is another one"}},
      {[](Config& c) { c.servers["files"].sandbox.network = SandboxConfig::Network::none; },
       {"-server files has no network"}},
      {[](Config& c) { c.servers["mail"].sandbox.network = SandboxConfig::Network::host; },
       {"+server mail has a network"}},
      {[](Config& c) { c.servers["mail"].sandbox.level = SandboxConfig::Level::container; },
       {"-server mail is confined by a higher level"}},
      {[](Config& c) { c.servers["mail"].sandbox.level = SandboxConfig::Level::none; },
       {"+server mail is confined by a lower level"}},
      {[](Config& c) { c.servers["mail"].sandbox.user = "root"; },
       {"+server mail runs as another account"}},
      {[](Config& c) { c.servers["mail"].sandbox.write = {"/srv", "/etc"}; },
       {"+server mail may write to other files"}},
      {[](Config& c) { c.servers["mail"].sandbox.write = {}; }, {}},
      {[](Config& c) { c.servers["mail"].sandbox.processes = 9; },
       {"+server mail may have more processes"}},
      {[](Config& c) { c.servers["mail"].sandbox.processes = 0; },
       {"+server mail may have more processes"}},
      {[](Config& c) { c.servers["mail"].sandbox.open_files = 9; },
       {"-server mail may have less open files"}},
      {[](Config& c) { c.servers["mail"].executables.clear(); },
       {"+server mail may be made of any /bin/mail"}},
      {[](Config& c) { c.servers["mail"].executables["/bin/mail"] = "22"; },
       {"+server mail is made of another /bin/mail"}},
      {[](Config& c) { c.servers["mail"].executables["/bin/more"] = "33"; }, {}},
      {[](Config& c) { c.redactions["secrets"].action = RedactionAction::observe; },
       {"+redaction secrets is another one"}},
      {[](Config& c) { c.redactions["secrets"].action = RedactionAction::withhold; },
       {"-redaction secrets is stricter"}},
      {[](Config& c) { c.redactions["secrets"].pointers = {"/a"}; },
       {"+redaction secrets is another one"}},
      {[](Config& c) { c.redactions["secrets"].principals = {"ann"}; },
       {"+redaction secrets is another one"}},
      {[](Config& c) { c.redactions["secrets"].keep["link"].expires -= 86'400; },
       {"-redaction secrets is stricter"}},
      {[](Config& c) { c.redactions["secrets"].keep["link"].expires += 86'400; },
       {"+redaction secrets is another one"}},
      {[](Config& c) { c.redactions["secrets"].keep["link"].hosts.clear(); },
       {"+redaction secrets is another one"}},
      {[](Config& c) { c.redactions["secrets"].keep.clear(); }, {"-redaction secrets is stricter"}},
      {[](Config& c) { c.detectors["bird"] = {.name = "bird", .words = {"falcon"}}; },
       {"-detector bird is new"}},
      {[](Config& c) { c.servers["files"].labels.clear(); },
       {"+server files has no longer the label untrusted"}},
      {[](Config& c) { c.tools[0].labels = {ToolLabel::destructive}; },
       {"+tool files/* has no longer the label private",
        "-tool files/* has the label destructive"}},
      {[](Config& c) { c.tools[0].cost = 3; }, {"+tool files/* costs less"}},
      {[](Config& c) { c.tools[0].max_result = 7; }, {"-tool files/* may answer fewer bytes"}},
      {[](Config& c) { c.tools[0].schema = "{}"; }, {"-tool files/* has a schema"}},
      {[](Config& c) { c.urls["pages"].form.hosts = {"*"}; },
       {"+server mail may send users to the URLs of [url.pages]"}},
      {[](Config& c) { c.policy.mode = PolicySettings::Mode::observe; },
       {"+policy only observes what it would refuse"}},
      {[](Config& c) {
         c.auth.api_keys.push_back({.name = "ci", .principal = "ann", .sha256 = "0f58bbe1"});
       },
       {"+key ci is new, and makes its holder ann"}},
      {[](Config& c) { c.auth.api_keys.clear(); },
       {"-key laptop is gone, and made its holder ann"}},
      {[](Config& c) { c.auth.api_keys[0].principal = "eve"; },
       {"+key laptop makes its holder eve in place of ann"}},
      {[](Config& c) { c.auth.api_keys[0].sha256 = "0f58bbe1"; },
       {"+key laptop of ann is another one"}},
      {[](Config& c) { c.auth.api_keys[0].expires = {}; }, {"+key laptop of ann holds longer"}},
      {[](Config& c) { c.auth.api_keys[0].expires = 50; }, {"-key laptop of ann ends earlier"}},
      {[](Config& c) { c.auth.api_keys[0].where.line = 9; }, {}},
      {[](Config& c) {
         c.auth.mode = AuthConfig::Mode::none;
         c.auth.principal = "bob";
       },
       {"+auth everyone without a key is bob"}},
      {[](Config& c) { c.rules["ask"].approval.valid_for = hours(1); },
       {"+rule ask takes approvals for longer"}},
      {[](Config& c) { c.rules["ask"].approval.valid_for = seconds(9); },
       {"-rule ask takes approvals for less long"}},
      {[](Config& c) { c.rules["ask"].approval.self_approval = true; },
       {"+rule ask lets callers approve their own calls"}},
      {[](Config& c) { c.rules["no"].approval.valid_for = hours(1); }, {}},
      {[](Config& c) { c.auth.stdio_principal = "dan"; },
       {"+auth whoever speaks over standard input is dan"}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(changed(row.change), row.want);
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
