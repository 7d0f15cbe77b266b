#include <gtest/gtest.h>

#include <algorithm>

#include "policy/check/compile_policy.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using enum Effect;

/// The sample, without a path that no profile asks for.
Config sound_config() {
  Config config = sample_config();
  config.paths.clear();
  return config;
}

/// One line for each problem: `error: …` or `warning: …`, without its place.
std::vector<std::string> problems_of(const Config& config,
                                     const KnownNames& names = sample_names()) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : find_policy_problems(config, names)) {
    const bool is_error = problem.severity == ConfigProblem::Severity::error;
    std::string line = (is_error ? "error: " : "warning: ") + problem.message;
    if (!is_error && !problem.hint.empty()) line += "; " + problem.hint;
    lines.push_back(std::move(line));
  }
  return lines;
}

ToolProfile profile(std::string pattern) {
  ToolProfile profile;
  profile.pattern = std::move(pattern);
  profile.permissions = {"read:filesystem"};
  return profile;
}

TEST(FindPolicyProblems, FindsNothingWrongWithASoundPolicy) {
  Config config = sound_config();
  config.limits = default_limits();
  add_rule(config, sample_rule("read", permit, {"analyst"}, {"files/*"}));
  add_rule(config, sample_rule("no-write", forbid, {"*"}, {"files/write"}));
  add_rule(config, sample_rule("tasks", permit, {"*"}, {"tasks/*"}, RuleTarget::methods));
  config.tools = {profile("files/*")};
  EXPECT_EQ(problems_of(config), std::vector<std::string>());
}

TEST(FindPolicyProblems, FindsWhatIsWrong) {
  const auto one_rule = [](RuleConfig rule) {
    Config config = sound_config();
    add_rule(config, std::move(rule));
    return config;
  };
  RuleConfig observed = sample_rule("r", permit, {"*"}, {"files/*"});
  observed.observe = true;
  Config shadowed = sound_config();
  add_rule(shadowed, sample_rule("a", permit, {"analyst"}, {"files/read_*"}));
  add_rule(shadowed, sample_rule("b", forbid, {"*"}, {"files/*"}));
  Config half = shadowed;
  half.rules["b"].roles = {"developer"};
  Config no_date = sound_config();
  no_date.policy.mode = PolicySettings::Mode::observe;
  Config idle = sound_config();
  idle.tools = {profile("files/*")};
  idle.tools[0].permissions.clear();
  const auto only = [&](auto change) {
    Config config = idle;
    config.tools[0].pattern = "files/read_text";
    change(config.tools[0]);
    return config;
  };
  Config stray = sound_config();
  stray.tools = {profile("files/raed_text")};
  Config unheld = sound_config();
  unheld.tools = {profile("files/*")};
  unheld.tools[0].permissions = {"fly"};
  Config pathless = sound_config();
  pathless.tools = {profile("files/*")};
  pathless.tools[0].arguments.resize(1);
  pathless.tools[0].arguments[0].pointer = "path";
  pathless.tools[0].arguments[0].predicate = PathPredicate{"ghost"};
  Config limits = sound_config();
  for (std::size_t i = 0; i <= kDrawsMax; ++i) {
    const std::string name = "l" + std::to_string(i);
    limits.limits[name].name = name;
    limits.limits[name].rates = {{.count = 1}};
  }
  Config idle_limit = sound_config();
  idle_limit.limits["x"].name = "x";
  Config dear = sound_config();
  dear.tools = {profile("files/*"), profile("files/read_text")};
  dear.tools[0].cost = 10;
  dear.tools[1].cost = 11;
  for (const char* name : {"some", "none", "others"})
    dear.limits[name] = {.name = name, .rates = {{.count = 10, .unit = LimitUnit::cost}}};
  dear.limits["none"].except_tools = {"files/read_*"};
  dear.limits["others"].tools = {"files/write"};
  Config unguarded = sound_config();
  unguarded.tools = {profile("files/*")};
  unguarded.tools[0].arguments = {
      {.pointer = "/path", .predicate = PathPredicate{"docs"}, .optional = true}};
  unguarded.paths["docs"] = {.name = "docs", .root = "/srv"};
  unguarded.paths["alike"] = {.name = "alike", .root = "/srv"};
  unguarded.paths["notes"] = {.name = "notes", .root = "/home"};
  Config torn = sound_config();
  torn.tools = {profile("files/*"), profile("files/read_text"), profile("mail/*")};
  torn.tools[0].arguments = {{.pointer = "/x", .predicate = AbsentPredicate()},
                             {.pointer = "/y", .predicate = AbsentPredicate()}};
  torn.tools[1].arguments = {{.pointer = "/x", .predicate = NumberPredicate{}},
                             {.pointer = "/y", .predicate = NumberPredicate{}, .optional = true}};
  torn.tools[2].arguments = {{.pointer = "/x", .predicate = NumberPredicate{}}};
  Config redacting = sound_config();
  redacting.redactions["links"] = {
      .name = "links", .detectors = {"url.*"}, .tools = {"files/raed_text"}};
  redacting.redactions["secrets"].keep["k"] = {
      .name = "k", .tools = {"files/reed_*"}, .detectors = {"jwt"}};
  Config vacant = sound_config();
  vacant.roles["auditor"] = {.name = "auditor"};
  using Lines = std::vector<std::string>;
  const struct {
    std::string_view name;
    Config config;
    Lines want;
  } cases[] = {
      {"a role that nobody has",
       one_rule(sample_rule("r", permit, {"ghost"}, {"files/*"})),
       {R"(warning: rule "r" names the role "ghost", which nobody has)"}},
      {"an unknown server",
       one_rule(sample_rule("r", permit, {"*"}, {"fils/*"})),
       {R"(error: "fils/*" names no server)"}},
      {"a server alone",
       one_rule(sample_rule("r", permit, {"*"}, {"files"})),
       {R"(error: "files" names a server and nothing of it)"}},
      {"no such tool",
       one_rule(sample_rule("r", permit, {"*"}, {"files/reed_*"})),
       {R"(warning: rule "r": "files/reed_*" matches no tool of files)"}},
      {"a tool that is spelled otherwise",
       one_rule(sample_rule("r", forbid, {"*"}, {"files/raed_text"})),
       {R"(warning: rule "r": "files/raed_text" is not a tool of files; did you mean "read_text"?)"}},
      {"a profile that guards nothing",
       stray,
       {R"(warning: profile "files/raed_text" guards nothing: "files/raed_text" is not a tool of files; did you mean "read_text"?)"}},
      {"a redaction of tools that are not there",
       redacting,
       {R"(warning: redaction "links": "files/raed_text" is not a tool of files; did you mean "read_text"?)",
        R"(warning: exception "k": "files/reed_*" matches no tool of files)"}},
      {"calls of tools by their method",
       one_rule(sample_rule("r", permit, {"*"}, {"tools/call"}, RuleTarget::methods)),
       {R"(warning: rule "r" permits nothing: "tools/call" is judged by "tools"; write tools = ["SERVER/*"] in place of "methods")"}},
      {"tools by their methods",
       one_rule(sample_rule("r", permit, {"*"}, {"tools/*"}, RuleTarget::methods)),
       {R"(warning: rule "r" permits nothing: "tools/call" is judged by "tools"; write tools = ["SERVER/*"] in place of "methods")"}},
      {"a list, which needs no rule",
       one_rule(sample_rule("r", permit, {"*"}, {"tools/list"}, RuleTarget::methods)),
       {R"(warning: rule "r" permits nothing: "tools/list" needs no rule with "methods")"}},
      {"a forbid binds every method",
       one_rule(sample_rule("r", forbid, {"*"}, {"tools/call"}, RuleTarget::methods)),
       {}},
      {"every method", one_rule(sample_rule("r", permit, {"*"}, {"*"}, RuleTarget::methods)), {}},
      {"stars inside",
       one_rule(sample_rule("r", permit, {"*"}, {"files/a**"})),
       {R"(error: "files/a**" has ** inside a segment)"}},
      {"no such method",
       one_rule(sample_rule("r", permit, {"*"}, {"task/*"}, RuleTarget::methods)),
       {R"(warning: "task/*" matches no method)"}},
      {"an observed permit",
       one_rule(observed),
       {R"(error: rule "r" observes a permit, which would grant nothing)"}},
      {"a permit that a forbid takes in",
       shadowed,
       {R"(warning: rule "a" never permits: rule "b" forbids all of it)"}},
      {"a forbid for other people", half, {}},
      {"observing without end", no_date, {R"(error: mode = "observe" needs until)"}},
      {"a profile without effect", idle, {R"(warning: the profile "files/*" asks for nothing)"}},
      {"a profile that has a schema only", only([](ToolProfile& p) { p.schema = "{}"; }), {}},
      {"a profile that refuses members only",
       only([](ToolProfile& p) {
         p.additional_properties = ToolProfile::AdditionalProperties::refuse;
       }),
       {}},
      {"a profile that asserts formats only",
       only([](ToolProfile& p) { p.formats = ToolProfile::Formats::assert_them; }),
       {}},
      {"patterns that nobody checks",
       only([](ToolProfile& p) {
         p.untranslatable_patterns = ToolProfile::UntranslatablePatterns::accept;
       }),
       {R"(warning: patterns of "files/read_text" that RE2 cannot express are not enforced)"}},
      {"a permission that nobody holds",
       unheld,
       {R"(warning: the permission "fly" is held by no role, so "files/*" is refused to everyone)"}},
      {"a predicate that cannot work",
       pathless,
       {R"(error: "path" is not a pointer into the arguments)",
        "error: no [path.ghost] is defined"}},
      {"a path that guards nothing",
       unguarded,
       {R"(warning: [path.notes] guards nothing: no [tool.…] and no rule names it; write [tool."SERVER/*".arguments] "/path" = { path = "notes" })"}},
      {"an argument that is wanted and not wanted",
       torn,
       {R"(warning: "/x" must be absent under "files/*" and present under "files/read_text", so every call is refused)"}},
      {"a role that is nobody's", vacant, {R"(warning: nobody has the role "auditor")"}},
      {"too many limits", limits, {"error: more than 64 limits"}},
      {"a call beyond its budget",
       dear,
       {R"(warning: a call of "files/read_text" costs 11, and the limit "some" never has more than 10, so every call is refused)"}},
      {"a limit without effect", idle_limit, {R"(warning: the limit "x" limits nothing)"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(problems_of(c.config), c.want);
  }
}

// Before a server has listed its tools nobody can say that a pattern matches none.
TEST(FindPolicyProblems, WaitsForTheNames) {
  Config config = sound_config();
  add_rule(config, sample_rule("r", permit, {"*"}, {"files/reed_*"}));
  EXPECT_TRUE(problems_of(config, {}).empty());
  config.rules["r"].patterns = {"*/reed_*"};
  KnownNames names = sample_names();
  EXPECT_EQ(problems_of(config, names).size(), 1U);
  names.tools.erase("mail");
  EXPECT_TRUE(problems_of(config, names).empty());
}

}  // namespace
}  // namespace bartizan
