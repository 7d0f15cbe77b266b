#include "policy/learn/learn_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/load/load_config.h"
#include "config/same_entry.h"
#include "policy/check/compile_policy.h"
#include "policy/learn/learn_values.h"
#include "policy/learn/replay_calls.h"
#include "policy/learn/write_learned.h"
#include "policy/review/find_covered_rules.h"

namespace bartizan {
namespace {

/// The line of the policy for one argument that had these values.
std::string learned_line(const std::vector<std::string>& values) {
  SeenValues seen;
  for (const std::string& json : values) {
    const Bytes bytes{std::string_view(json)};
    JsonDocument document;
    seen.add(document.read(bytes).value());
  }
  auto learned = seen.learn({});
  if (!learned.has_value()) return "nothing";
  LearnedPolicy policy;
  LearnedTool tool{.profile = {.pattern = "s/t"}};
  if (learned->path.has_value()) {
    learned->path->name = "p";
    learned->predicate = PathPredicate{.path = "p"};
    policy.paths.push_back(*learned->path);
  }
  tool.arguments.push_back({.argument = {.pointer = "/x", .predicate = learned->predicate}});
  policy.tools.push_back(tool);
  const std::string text = write_learned(policy);
  const std::size_t begin = text.find("\"/x\" = ") + 7;
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t path = text.find("root = ");
  if (path != std::string::npos) line += " " + text.substr(path);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::vector<std::string> many(const std::string& begin, const std::string& end, int count = 20) {
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i)
    values.push_back('"' + begin + std::string(static_cast<std::size_t>(i % 5), 'a') +
                     std::to_string(i) + end + '"');
  return values;
}

TEST(LearnValues, FindsTheNarrowestPredicate) {
  struct Row {
    const char* name;
    std::vector<std::string> values;
    std::string line;
  };
  const std::vector<Row> rows{
      {"numbers", {"3", "-1", "2.5"}, "{ number = { min = -1, max = 3 } }"},
      {"numbers by value", {"9", "10", "1e1"}, "{ number = { min = 9, max = 1e1 } }"},
      {"a large number",
       {"18446744073709551615"},
       "{ number = { min = 18446744073709551615.0, max = 18446744073709551615.0 } }"},
      {"truth", {"true", "true"}, "{ one_of = [true] }"},
      {"few texts", {"\"b\"", "\"a\""}, R"({ one_of = ["a", "b"] })"},
      {"texts and numbers", {"\"b\"", "1"}, R"({ one_of = ["b", 1] })"},
      {"many texts", many("n ", ""),
       R"({ text = { max_length = 8, classes = ["letters", "digits", "spaces"] } })"},
      {"texts with controls", many("n\\u0001", ""), "{ text = { max_length = 8 } }"},
      {"a long text",
       {'"' + std::string(500, 'x') + '"'},
       R"({ text = { max_length = 500, classes = ["letters"] } })"},
      {"files",
       {"\"/srv/a/x.md\"", "\"/srv/b/c/y.txt\""},
       R"({ path = "p" } root = "/srv" kind = "file" extensions = [".md", ".txt"] hidden = "refuse" )"},
      {"one file",
       {"\"/srv/a/x.md\""},
       R"({ path = "p" } root = "/srv/a" kind = "file" extensions = [".md"] hidden = "refuse" )"},
      {"folders",
       {"\"/srv/a\"", "\"/srv/a/b\""},
       R"({ path = "p" } root = "/srv/a" hidden = "refuse" )"},
      {"a hidden one", {"\"/srv/a\"", "\"/srv/.git\""}, R"({ path = "p" } root = "/srv" )"},
      {"no prefix of a text",
       {"\"/srv/data\"", "\"/srv/data2\""},
       R"({ path = "p" } root = "/srv" hidden = "refuse" )"},
      {"paths that share nothing",
       {"\"/a/x.md\"", "\"/b/x.md\""},
       R"({ one_of = ["/a/x.md", "/b/x.md"] })"},
      {"a path that climbs",
       {"\"/srv/a/../../etc/x.md\""},
       R"({ one_of = ["/srv/a/../../etc/x.md"] })"},
      {"URLs",
       {"\"https://a.example.com/1\"", "\"https://B.example.com\""},
       R"({ url = { schemes = ["https"], hosts = ["a.example.com", "b.example.com"] } })"},
      {"a URL with a port",
       {"\"https://a.example.com:8443/\"", "\"https://a.example.com/\""},
       R"({ url = { schemes = ["https"], hosts = ["a.example.com"], ports = [443, 8443] } })"},
      {"a private URL",
       {"\"http://127.0.0.1/\""},
       R"({ url = { schemes = ["http"], hosts = ["127.0.0.1"], private_networks = "allow" } })"},
      {"a URL with credentials",
       {"\"https://u:p@a.example.com/\""},
       R"({ one_of = ["https://u:p@a.example.com/"] })"},
      {"null", {"null"}, "nothing"},
      {"an empty object", {"{}"}, "nothing"},
      {"null beside a text", {"null", "\"a\""}, "nothing"},
      {"text that is not what it seems",
       {"\"a\\u202eb\\u0085\\udb40\\udc41\""},
       R"({ one_of = ["a\u202Eb\u0085\U000E0041"] })"},
      {"hostile text",
       {R"("\"] }\n[rule.x]\u007f\\")"},
       R"({ one_of = ["\"] }\u000A[rule.x]\u007F\\"] })"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(learned_line(row.values), row.line);
  }
}

const std::string kCurrent = R"(version = 1
[audit]
file = "record"
[server.s]
command = ["p"]
[role.analyst]
permissions = ["read:s"]
[role.admin]
[principal.ann]
roles = ["analyst"]
[principal.bob]
roles = ["admin", "analyst"]
[principal.eve]
roles = ["admin"]
[sql.tables]
dialect = "sqlite"
tables = ["a"]
[tool."s/*"]
permissions = ["read:s"]
[tool."s/query"]
risk = "high"
labels = ["private"]
timeout = "1500ms"
max_result = "1 KiB"
schema = { properties = { n = { maximum = 9 } } }
[tool."s/query".arguments]
"/sql" = { sql = "tables" }
"/mode" = { fixed = "fast" }
"/n" = { number = { max = 1000 }, optional = true }
[rule.all]
effect = "permit"
roles = ["analyst"]
tools = ["s/*"]
[rule.rest]
effect = "permit"
roles = ["*"]
prompts = ["s/*"]
[rule.not-drop]
effect = "forbid"
roles = ["*"]
tools = ["s/drop"]
)";

Config load(const std::string& text) {
  const LoadedConfig loaded = load_config_text(text, "p.toml");
  EXPECT_TRUE(loaded.problems.empty()) << bartizan::text(loaded.problems.front()) << "\n" << text;
  return loaded.config;
}

CapturedCall call(const std::string& principal, const std::string& tool,
                  const std::string& arguments) {
  CapturedCall call;
  call.call = {.principal = principal,
               .target_kind = TargetKind::tool,
               .server = "s",
               .target = tool,
               .method = "tools/call",
               .arguments = arguments};
  if (principal == "ann") call.call.roles = {"analyst"};
  if (principal == "bob") call.call.roles = {"admin", "analyst"};
  if (principal == "eve") call.call.roles = {"admin"};
  call.call.facts.time = 1'800'000'000;
  call.is_permitted = true;
  call.rule = "all";
  call.waited_us = 0;
  return call;
}

Capture captured(std::vector<CapturedCall> calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].order = i + 1;
    calls[i].clock_us = static_cast<std::int64_t>(i) * 1'000'000;
  }
  return {.runs = {{.id = "r", .calls = std::move(calls)}}};
}

/// The configuration as its user writes it: permits and replaced profiles out, the learned in.
Config as_written(const LearnedPolicy& learned, const std::string& current = kCurrent) {
  const Config config = load(current);
  const LoadedConfig loaded = load_with_permits(
      *config.sources,
      {.name = "learned.toml", .text = write_learned(learned), .tools = learned.replaced});
  EXPECT_TRUE(loaded.problems.empty()) << bartizan::text(loaded.problems.front());
  return loaded.config;
}

/// What was learned is what is read again.
void expect_written(const LearnedPolicy& learned, const Config& written) {
  for (const LearnedTool& tool : learned.tools) {
    ToolProfile profile = tool.profile;
    for (const LearnedArgument& argument : tool.arguments)
      profile.arguments.push_back(argument.argument);
    const auto found = std::ranges::find(written.tools, profile.pattern, &ToolProfile::pattern);
    ASSERT_NE(found, written.tools.end()) << profile.pattern;
    EXPECT_TRUE(is_same(*found, profile)) << profile.pattern;
  }
  for (const LearnedRule& rule : learned.rules)
    EXPECT_TRUE(is_same(written.rules.at(rule.rule.name), rule.rule)) << rule.rule.name;
  for (const PathConfig& path : learned.paths)
    EXPECT_TRUE(is_same(written.paths.at(path.name), path)) << path.name;
}

TEST(LearnPolicy, PermitsWhatWasSeenAndRefusesTheRest) {
  const Capture capture = captured({
      call("ann", "read", R"({"path":"/srv/a.md","n":3,"tags":["x","y"],"o":{"k":"v"}})"),
      call("ann", "read", R"({"path":"/srv/b/c.md","tags":[]})"),
      call("bob", "read", R"({"path":"/srv/b/c.md","n":5})"),
      call("ann", "idle", "{}"),
      call("ann", "idle", ""),
      call("ann", "empty", R"({"list":[]})"),
      call("ann", "query", R"({"sql":"SELECT 1 FROM a","n":2})"),
  });
  const Config config = load(kCurrent);
  const LearnedPolicy learned = learn_policy(config, capture);
  EXPECT_EQ(learned.calls, 7U);
  EXPECT_EQ(learned.unlearned, std::vector<std::string>{});
  EXPECT_EQ(learned.replaced, std::vector<std::string>{"s/query"});
  ASSERT_EQ(learned.rules.size(), 1U);
  EXPECT_EQ(learned.rules[0].rule.roles, std::vector<std::string>{"analyst"});

  // What is written says what was learned.
  const Config written = as_written(learned);
  expect_written(learned, written);

  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), 7U);
  const Capture others = captured({
      call("eve", "read", R"({"path":"/srv/a.md","n":3})"),
      call("ann", "write", R"({"path":"/srv/a.md"})"),
      call("ann", "read", R"({"path":"/etc/a.md","n":3})"),
      call("ann", "read", R"({"path":"/srv/a.sh","n":3})"),
      call("ann", "read", R"({"path":"/srv/a.md","n":6})"),
      call("ann", "read", R"({"path":"/srv/a.md","tags":["z"]})"),
      call("ann", "read", R"({"path":"/srv/a.md","tags":"x"})"),
      call("ann", "read", R"({"path":"/srv/a.md","o":{"k":"w"}})"),
      call("ann", "read", R"({"path":"/srv/a.md","o":{"l":"v"}})"),
      call("ann", "read", R"({"path":"/srv/a.md","more":1})"),
      call("ann", "read", R"({"n":3})"),
      call("ann", "idle", R"({"any":1})"),
      call("ann", "empty", R"({"list":["a"]})"),
      call("ann", "empty", R"({"list":[],"b":1})"),
      call("ann", "query", R"({"sql":"SELECT 1 FROM b","n":2})"),
      call("ann", "query", R"({"sql":"SELECT 1 FROM a","n":1001})"),
  });
  const Replay replay = replay_calls(written, others);
  for (const ReplayedCall& one : replay.calls) {
    EXPECT_EQ(one.outcome, ReplayedCall::Outcome::newly_refused) << one.call->call.arguments;
  }
}

// What one role sent to a tool, another role may not send.
TEST(LearnPolicy, AsksOfEachRoleWhatItSent) {
  std::string current = kCurrent;
  current.replace(current.find("roles = [\"analyst\"]\ntools"), 19, "roles = [\"*\"]");
  current.insert(current.find("[role.admin]") + 13, "permissions = [\"read:s\"]\n");
  const auto ann = [](const std::string& arguments) { return call("ann", "read", arguments); };
  const auto eve = [](const std::string& arguments) { return call("eve", "read", arguments); };
  const Capture capture = captured({
      ann(R"({"path":"/srv/pub/a.md","n":3,"tags":["x"],"all":1})"),
      ann(R"({"path":"/srv/pub/b.md","n":5,"tags":[],"all":1})"),
      ann(R"({"path":"/srv/pub/b.md","all":1})"),
      eve(R"({"path":"/srv/sub/a.md","n":90,"tags":["y"],"force":true,"all":1})"),
      eve(R"({"path":"/srv/sub/a.md","all":1})"),
      call("ann", "same", R"({"x":1})"),
      call("eve", "same", R"({"x":1})"),
      call("ann", "alone", R"({"x":1})"),
  });
  const LearnedPolicy learned = learn_policy(load(current), capture);
  EXPECT_EQ(learned.unlearned, std::vector<std::string>{});
  const Config written = as_written(learned, current);
  expect_written(learned, written);
  EXPECT_EQ(find_policy_problems(written, {}).size(), 0U);
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), capture.size());

  const struct {
    const char* name;
    CapturedCall call;
    bool is_permitted;
  } rows[] = {
      {"its own", ann(R"({"path":"/srv/pub/c.md","n":4,"tags":["x"],"all":1})"), true},
      {"its own, left out", eve(R"({"path":"/srv/sub/b.md","all":1})"), true},
      {"another's place", ann(R"({"path":"/srv/sub/a.md","all":1})"), false},
      {"the place of both", ann(R"({"path":"/srv/a.md","all":1})"), false},
      {"another's number", ann(R"({"path":"/srv/pub/a.md","n":90,"tags":["x"],"all":1})"), false},
      {"another's element", ann(R"({"path":"/srv/pub/a.md","n":4,"tags":["x","y"],"all":1})"),
       false},
      {"another's argument", ann(R"({"path":"/srv/pub/a.md","force":true,"all":1})"), false},
      {"the other's way",
       eve(R"({"path":"/srv/sub/a.md","n":3,"tags":["y"],"force":true,"all":1})"), false},
      {"what both sent", call("eve", "same", R"({"x":1})"), true},
      {"what neither sent", call("eve", "same", R"({"x":2})"), false},
      {"a tool of another's", call("eve", "alone", R"({"x":1})"), false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Replay replay = replay_calls(written, captured({row.call}));
    EXPECT_EQ(replay.count(ReplayedCall::Outcome::same), row.is_permitted ? 1U : 0U);
  }
}

TEST(LearnPolicy, SaysWhereItCannotTellRolesApart) {
  std::string current = kCurrent;
  current.replace(current.find("roles = [\"analyst\"]\ntools"), 19, "roles = [\"*\"]");
  current.insert(current.find("[role.admin]") + 13, "permissions = [\"read:s\"]\n");
  std::vector<CapturedCall> calls;
  std::string all;
  for (int name = 0; name < 4; ++name)
    all += (name > 0 ? ",\"" : "\"") + std::string(1, static_cast<char>('a' + name)) + "\":9";
  for (unsigned set = 0; set < 16; ++set) {
    std::string some;
    for (unsigned name = 0; name < 4; ++name) {
      if ((set >> name & 1U) == 0) continue;
      some +=
          (some.empty() ? "\"" : ",\"") + std::string(1, static_cast<char>('a' + name)) + "\":1";
    }
    calls.push_back(call("ann", "read", "{" + some + "}"));
  }
  calls.push_back(call("eve", "read", "{" + all + "}"));
  const Capture capture = captured(std::move(calls));
  const LearnedPolicy learned = learn_policy(load(current), capture);
  EXPECT_EQ(learned.unlearned,
            std::vector<std::string>{
                "\"s/read\": \"/\" was called by \"analyst\" in more than 8 combinations of "
                "arguments: of those that some calls leave out, what others sent passes as well"});
  const Config written = as_written(learned, current);
  expect_written(learned, written);
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), 17U);
}

// Included while the permit still stands whose place it was to take, it narrows nothing.
TEST(LearnPolicy, IsCoveredByThePermitThatItWasLearnedFrom) {
  const Capture capture =
      captured({call("ann", "read", R"({"path":"/srv/a.md"})"), call("ann", "idle", "{}")});
  const LearnedPolicy learned = learn_policy(load(kCurrent), capture);
  EXPECT_TRUE(find_covered_rules(as_written(learned)).empty());
  const Config both =
      load(kCurrent + write_learned(learned).substr(write_learned(learned).find("[rule.")));
  const auto found = find_covered_rules(both);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].message.starts_with(
      R"(rule "learned-analyst" adds nothing where it permits "s/idle" and 1 more: )"
      "covered by the wider permit rule.all at p.toml:"))
      << found[0].message;
}

TEST(LearnPolicy, KeepsWhatItsOperatorSaidOfArguments) {
  const std::string current = kCurrent + R"([path.data]
root = "/srv"
deny = ["secret", "secret/**"]
[tool."s/get".arguments]
"/path" = { path = "data" }
"/sum" = { digest = { sha256 = [")" +
                              std::string(64, 'a') + R"("] }, optional = true }
"/name" = { text = { matches = "[a-z]+" } }
"/url" = { url = { hosts = ["*.example.com"], resolve = true }, optional = true }
"/tags/*" = { text = { max_length = 3 }, optional = true }
)";
  const Capture capture = captured({
      call("ann", "get", R"({"path":"/srv/a/x.md","name":"ab","tags":[],"n":1})"),
      call("ann", "get", R"({"path":"/srv/b/y.md","name":"cd","n":2})"),
  });
  const LearnedPolicy learned = learn_policy(load(current), capture);
  EXPECT_EQ(learned.replaced, std::vector<std::string>{"s/get"});
  const Config written = as_written(learned, current);
  expect_written(learned, written);
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), 2U);
  const std::vector<std::string> refused{
      R"({"path":"/srv/secret/x.md","name":"ab","n":1})",
      R"({"path":"/srv/a/x.md","name":"AB","n":1})",
      R"({"path":"/srv/a/x.md","name":"ab","n":1,"sum":"b"})",
      R"({"path":"/srv/a/x.md","name":"ab","n":1,"url":"https://example.org/"})",
      R"({"path":"/srv/a/x.md","name":"ab","n":1,"tags":["long"]})",
      R"({"path":"/srv/a/x.md","name":"ab","n":3})",
  };
  for (const std::string& arguments : refused) {
    SCOPED_TRACE(arguments);
    const Capture one = captured({call("ann", "get", arguments)});
    EXPECT_EQ(replay_calls(written, one).count(ReplayedCall::Outcome::newly_refused), 1U);
  }
}

TEST(LearnPolicy, KeepsTheConditionsOfPermits) {
  std::string current = kCurrent;
  current.insert(current.find("[principal.ann]"), "permissions = [\"read:s\"]\n");
  current += R"([rule.office]
effect = "permit"
roles = ["admin"]
tools = ["s/read", "s/write"]
when = { "/n" = { number = { max = 5 } }, time = { days = ["fri"], from = "07:30", to = "24:00", zone = "UTC" }, transport = ["http"], server_trust = ["untrusted"], method = ["tools/call"], revision = ["2025-11-25"], client_address = ["10.0.0.0/8"] }
unless = { "/n" = { one_of = [4] }, read_only = true }
expires = 2030-01-31
)";
  const auto at = [](CapturedCall one, std::int64_t time, const std::string& rule) {
    one.call.facts = {.time = time,
                      .transport = Transport::http,
                      .client_address = "10.1.2.3",
                      .revision = ProtocolVersion::v2025_11_25};
    one.rule = rule;
    return one;
  };
  constexpr std::int64_t kFriday = 1'799'971'200 + 12 * 3600;  // 2027-01-15
  constexpr std::int64_t kLate = 1'895'788'800 + 12 * 3600;    // 2030-01-28 … 2030-02-01
  const Capture capture = captured({
      at(call("eve", "read", R"({"n":1})"), kFriday, "office"),
      at(call("eve", "write", R"({"n":1})"), kFriday, "office"),
      at(call("ann", "read", R"({"n":1})"), kFriday, "all"),
      at(call("bob", "read", R"({"n":1})"), kFriday, "gone"),
  });
  const LearnedPolicy learned = learn_policy(load(current), capture);
  ASSERT_EQ(learned.rules.size(), 3U);
  const Config written = as_written(learned, current);
  expect_written(learned, written);
  const RuleConfig& office = learned.rules[1].rule;
  EXPECT_EQ(office.patterns, (std::vector<std::string>{"s/read", "s/write"}));
  EXPECT_EQ(office.expires, load(current).rules.at("office").expires);
  EXPECT_EQ(learned.rules[1].permit, "office");
  EXPECT_NE(write_learned(learned).find("# 1 principal, where \"office\" permitted it\n"),
            std::string::npos);
  for (const ReplayedCall& one : replay_calls(written, capture).calls) {
    EXPECT_EQ(one.answer.reason, "");
    EXPECT_EQ(one.outcome, ReplayedCall::Outcome::same) << one.call->call.target;
  }
  const Capture others = captured({
      at(call("eve", "write", R"({"n":1})"), kFriday - 86'400, "office"),
      at(call("eve", "write", R"({"n":1})"), kLate + 4 * 86'400, "office"),
  });
  EXPECT_EQ(replay_calls(written, others).count(ReplayedCall::Outcome::newly_refused), 2U);
}

TEST(LearnPolicy, IsReadAgainAsItIsWritten) {
  // TOML has no such number, and what comes next to it is another.
  const Capture capture = captured({call("ann", "a", R"({"x":18446744073709551615})")});
  const LearnedPolicy learned = learn_policy(load(kCurrent), capture);
  const Replay replay = replay_calls(as_written(learned), capture);
  EXPECT_EQ(replay.count(ReplayedCall::Outcome::newly_refused), 1U);
}

TEST(LearnPolicy, LearnsNothingFromRefusals) {
  std::vector<CapturedCall> calls{call("ann", "read", "{}"), call("ann", "drop", "{}")};
  calls[1].is_permitted = false;
  const LearnedPolicy learned = learn_policy(load(kCurrent), captured(std::move(calls)));
  EXPECT_EQ(learned.refused, 1U);
  ASSERT_EQ(learned.rules.size(), 1U);
  EXPECT_EQ(learned.rules[0].rule.patterns, std::vector<std::string>{"s/read"});
}

TEST(LearnPolicy, CountsCallersUnderTheRoleThatTheirRuleNames) {
  std::vector<CapturedCall> calls{call("bob", "read", "{}"), call("bob", "list", "{}"),
                                  call("ann", "x", "{}"), call("eve", "y", "{}")};
  calls[1].rule = "gone";  // Then it is the role that fewer have: both have two here, by name.
  calls[3].rule = "gone";
  const LearnedPolicy learned = learn_policy(load(kCurrent), captured(std::move(calls)));
  ASSERT_EQ(learned.rules.size(), 2U);
  EXPECT_EQ(learned.rules[0].rule.name, "learned-admin");
  EXPECT_EQ(learned.rules[0].rule.patterns, (std::vector<std::string>{"s/list", "s/y"}));
  EXPECT_EQ(learned.rules[1].rule.name, "learned-analyst");
  EXPECT_EQ(learned.rules[1].rule.patterns, (std::vector<std::string>{"s/read", "s/x"}));
}

TEST(LearnPolicy, NamesPromptsResourcesAndMethods) {
  const auto other = [](TargetKind kind, const std::string& method, const std::string& target) {
    CapturedCall one = call("ann", target, "");
    one.call.target_kind = kind;
    one.call.method = method;
    if (kind == TargetKind::none) one.call.server.clear();
    return one;
  };
  std::vector<CapturedCall> calls{
      other(TargetKind::prompt, "prompts/get", "ask"),
      other(TargetKind::resource, "resources/read", "file:///a/b.md"),
      other(TargetKind::resource, "resources/subscribe", "file:///a/b.md"),
      other(TargetKind::none, "logging/setLevel", ""),
      other(TargetKind::none, "tools/list", ""),
      other(TargetKind::none, "*", ""),
      other(TargetKind::none, "logging/other", ""),
      other(TargetKind::resource, "resources/read", "file:///a/*"),
  };
  calls[4].rule.clear();  // Lists need no rule.
  const Config config = load(kCurrent);
  Capture capture = captured(std::move(calls));
  const LearnedPolicy learned = learn_policy(config, capture);
  EXPECT_EQ(learned.rules.size(), 3U);
  EXPECT_EQ(learned.unlearned.size(), 3U);  // A star stands for more than itself.
  capture.runs[0].calls.resize(5);
  const Config written = as_written(learned);
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), 5U);
  for (CapturedCall& one : capture.runs[0].calls)
    one.call.target += "x";
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::newly_refused), 3U);
}

/// Calls of one tool with many different values of one argument.
std::vector<CapturedCall> calls_with(const std::string& name,
                                     const std::vector<std::string>& values) {
  std::vector<CapturedCall> calls;
  for (const std::string& value : values)
    calls.push_back(call("ann", "read", R"({")" + name + R"(":")" + value + R"("})"));
  return calls;
}

/// `a0.md`, `a1.md` and so on, with what stands around the number.
std::vector<std::string> numbered(const std::string& begin, const std::string& end) {
  std::vector<std::string> values;
  for (int i = 0; i < 9; ++i)
    values.push_back(begin + std::to_string(i) + end);
  return values;
}

// Paths that start from where the server runs are paths, where anybody knows that.
TEST(LearnPolicy, TakesRelativePathsForPaths) {
  const std::string with_cwd =
      std::string(kCurrent).replace(kCurrent.find("command = "), 0, "cwd = \"/srv/data\"\n");
  const std::string text_line = "{ text = {";
  const struct {
    std::string_view name;
    std::string argument;
    std::vector<std::string> values;
    std::string want;  ///< Of the line of the argument.
    std::string root;  ///< Of the place, if there is one.
  } cases[] = {
      {"below one folder", "to", numbered("a/b", ".md"), "{ path = \"learned-1\" }", "/srv/data/a"},
      {"where the server runs, by the argument's name", "path", numbered("a", ".md"),
       "{ path = \"learned-1\" }", "/srv/data"},
      {"folders, by the argument's name", "folders", numbered("a/b", ""),
       "{ path = \"learned-1\" }", "/srv/data/a"},
      {"with a dot in front", "path", numbered("./a", ".md"), "{ path = \"learned-1\" }",
       "/srv/data"},
      {"a word of the argument's name", "filename", numbered("a", ".md"),
       "{ path = \"learned-1\" }", "/srv/data"},
      {"another, told by its case", "outputDir", numbered("a/b", ""), "{ path = \"learned-1\" }",
       "/srv/data/a"},
      {"another, behind a line", "output_DIR", numbered("a/b", ""), "{ path = \"learned-1\" }",
       "/srv/data/a"},
      {"a part of a word", "profile", numbered("a", ".b"), text_line, ""},
      {"of its plural", "profiles", numbered("a/b", ""), text_line, ""},
      {"its beginning", "direction", numbered("a/b", ""), text_line, ""},
      {"its middle", "redirect", numbered("a/b", ""), text_line, ""},
      {"nothing like a path but the name", "path", numbered("a", ""), text_line, ""},
      {"names of hosts", "to", numbered("a", ".example.com"), text_line, ""},
      {"addresses of mail", "file", numbered("a", "@b/c.com"), text_line, ""},
      {"numbers with points", "to", numbered("1/2.", ""), text_line, ""},
      {"words", "to", numbered("a", ""), text_line, ""},
      {"paths that climb", "path", numbered("../a", ".md"), text_line, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Capture capture = captured(calls_with(c.argument, c.values));
    const LearnedPolicy learned = learn_policy(load(with_cwd), capture);
    const std::string written = write_learned(learned);
    EXPECT_TRUE(written.contains("\"/" + c.argument + "\" = " + c.want)) << written;
    EXPECT_EQ(written.contains("root = "), !c.root.empty()) << written;
    if (!c.root.empty()) {
      EXPECT_TRUE(written.contains("root = \"" + c.root + "\"\n")) << written;
    }
    const Config config = as_written(learned, with_cwd);
    expect_written(learned, config);
    EXPECT_EQ(replay_calls(config, capture).count(ReplayedCall::Outcome::same), 9U);
  }
}

TEST(LearnPolicy, RefusesOtherPathsThanTheRelativeOnes) {
  const std::string with_cwd =
      std::string(kCurrent).replace(kCurrent.find("command = "), 0, "cwd = \"/srv/data\"\n");
  const LearnedPolicy learned =
      learn_policy(load(with_cwd), captured(calls_with("path", numbered("a/b", ".md"))));
  const Config written = as_written(learned, with_cwd);
  for (const ConfigProblem& problem : find_policy_problems(written, {}))
    EXPECT_FALSE(text(problem).contains("learned-1")) << text(problem);
  const Capture others = captured(
      calls_with("path", {"../b1.md", "a/../../b1.md", "b1.md", "a/b1.sh", "a/.b1.md", "/etc/b1.md",
                          "a/%2e%2e/%2e%2e/b1.md", "a\\\\..\\\\..\\\\b1.md", "/srv/data/b1.md"}));
  const Replay replay = replay_calls(written, others);
  for (const ReplayedCall& one : replay.calls)
    EXPECT_EQ(one.outcome, ReplayedCall::Outcome::newly_refused) << one.call->call.arguments;
}

// Where nobody knows from where they start, the reader is told why they are texts.
TEST(LearnPolicy, SaysWhyRelativePathsAreTexts) {
  const auto written = [](const std::vector<std::string>& values) {
    return write_learned(learn_policy(load(kCurrent), captured(calls_with("path", values))));
  };
  EXPECT_TRUE(written(numbered("a/b", ".md"))
                  .contains("9 different; paths from where nobody knows: [server.s] has no cwd\n"))
      << written(numbered("a/b", ".md"));
  EXPECT_FALSE(written(numbered("/a/b", ".md")).contains("nobody knows"));
  EXPECT_FALSE(written({"a/b.md"}).contains("nobody knows")) << "it stands there as it was sent";
}

TEST(LearnPolicy, SaysWhatItCannot) {
  const Capture capture = captured({
      call("ann", "a", R"({"x":null})"),
      call("ann", "b", R"({"*":1})"),
      call("ann", "c", R"({"x":1})"),
      call("ann", "c", R"({"x":{"y":1}})"),
  });
  const Config config = load(kCurrent);
  const LearnedPolicy learned = learn_policy(config, capture);
  EXPECT_EQ(learned.unlearned.size(), 3U);
  const Replay replay = replay_calls(as_written(learned), capture);
  EXPECT_GE(replay.count(ReplayedCall::Outcome::newly_refused), 3U);
}

TEST(LearnPolicy, IsNotBrokenOutOf) {
  const std::string hostile = R"(a\"] = 1\n[rule.all]\neffect = 'permit'\u0085\u2028#)";
  const Capture capture = captured({
      call("ann", "t", "{\"" + hostile + "\":\"" + hostile + "\"}"),
      call("ann", "u", "{\"" + hostile + "\":{\"" + hostile + "\":[\"/srv/" + hostile + "\"]}}"),
  });
  const LearnedPolicy learned = learn_policy(load(kCurrent), capture);
  const Config written = as_written(learned);
  EXPECT_EQ(written.rules.size(), 2U);
  EXPECT_EQ(replay_calls(written, capture).count(ReplayedCall::Outcome::same), 2U);
}

}  // namespace
}  // namespace bartizan
