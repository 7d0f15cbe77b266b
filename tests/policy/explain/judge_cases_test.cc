#include "policy/explain/judge_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/load/load_config.h"
#include "policy/explain/assume_definition.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

const std::string kPolicy = R"(version = 1
[audit]
file = "record"
[server.files]
command = ["p"]
cwd = "/srv/data"
[role.analyst]
permissions = ["read:files"]
[role.intern]
[principal.ann]
roles = ["analyst"]
[path.docs]
root = "/srv/data"
[tool."files/*"]
permissions = ["read:files"]
[tool."files/*".arguments]
"/path" = { path = "docs" }
[rule.analysts-read]
effect = "permit"
roles = ["analyst", "intern"]
tools = ["files/read"]
[rule.not-at-night]
effect = "forbid"
roles = ["*"]
tools = ["files/*"]
unless = { time = { from = "08:00", to = "20:00", zone = "UTC" } }
remediation = "Come back in the morning."
[rule.analysts-subscribe]
effect = "permit"
roles = ["analyst"]
resources = ["files:file:///srv/data/**"]
[rule.analysts-ask]
effect = "permit"
principals = ["ann"]
prompts = ["files/ask"]
[rule.analysts-log]
effect = "permit"
roles = ["analyst"]
methods = ["logging/setLevel"]
)";

Config policy(const std::string& text = kPolicy) {
  const LoadedConfig loaded = load_config_text(text, "p.toml");
  EXPECT_TRUE(loaded.usable()) << bartizan::text(loaded.problems.front());
  return loaded.config;
}

/// A file with these cases by day, and what came of it.
struct Judged {
  CaseFile file;
  CaseResults results;

  explicit Judged(const std::string& lines, const Config& config = policy())
      : file(load_cases_text("version = 1\n[facts]\ntime = 2027-01-31T09:00:00Z\n" + lines,
                             "c.toml")) {
    EXPECT_TRUE(file.problems.empty()) << text(file.problems.front());
    const auto problems = find_case_problems(config, file);
    EXPECT_TRUE(problems.empty()) << text(problems.front());
    const ReadDefinitions definitions = read_definitions(file);
    EXPECT_TRUE(definitions.problems.empty()) << text(definitions.problems.front());
    results = judge_cases(config, file, definitions.tools, 0);
  }
  const CaseResult& only() const { return results.results.at(0); }
};

TEST(JudgeCases, EachKindOfCallIsDecidedByItsRules) {
  struct Row {
    std::string name, call, expected;
  };
  const std::string ann = "principal = \"ann\"\n";
  const std::vector<Row> rows = {
      {"a permit", ann + "tool = \"files/read\"\narguments = { path = \"a.md\" }\n",
       "decision = \"permit\"\nrule = \"analysts-read\"\n"},
      {"another tool", ann + "tool = \"files/write\"\narguments = { path = \"a.md\" }\n",
       "decision = \"deny\"\nreason = \"no_matching_rule\"\n"},
      {"a path outside", ann + "tool = \"files/read\"\narguments = { path = \"../x\" }\n",
       "decision = \"deny\"\nreason = \"path_outside_root\"\npointer = \"/path\"\n"},
      {"at night",
       ann + "tool = \"files/read\"\narguments = { path = \"a.md\" }\n"
             "facts = { time = 2027-01-31T03:00:00Z }\n",
       "decision = \"deny\"\nreason = \"forbidden\"\nrule = \"not-at-night\"\n"},
      {"a role by itself",
       "roles = [\"analyst\"]\ntool = \"files/read\"\narguments = { path = \"a.md\" }\n",
       "decision = \"permit\"\n"},
      {"a role without the permission",
       "roles = [\"intern\"]\ntool = \"files/read\"\narguments = { path = \"a.md\" }\n",
       "decision = \"deny\"\nreason = \"permission_missing\"\n"},
      {"nobody in particular",
       "roles = []\ntool = \"files/read\"\narguments = { path = \"a.md\" }\n",
       "decision = \"deny\"\nreason = \"no_matching_rule\"\n"},
      {"a rule on a principal is none on its roles",
       "roles = [\"analyst\"]\nprompt = \"files/ask\"\n",
       "decision = \"deny\"\nreason = \"no_matching_rule\"\n"},
      {"a prompt", ann + "prompt = \"files/ask\"\narguments = { about = \"x\" }\n",
       "decision = \"permit\"\nrule = \"analysts-ask\"\n"},
      {"a resource", ann + "resource = \"files:file:///srv/data/a.md\"\n",
       "decision = \"permit\"\n"},
      {"a resource elsewhere", ann + "resource = \"files:file:///etc/passwd\"\n",
       "decision = \"deny\"\nreason = \"no_matching_rule\"\n"},
      {"a subscription",
       ann + "resource = \"files:file:///srv/data/a.md\"\nmethod = \"resources/subscribe\"\n",
       "decision = \"permit\"\nrule = \"analysts-subscribe\"\n"},
      {"a completion", ann + "prompt = \"files/ask\"\nmethod = \"completion/complete\"\n",
       "decision = \"permit\"\nrule = \"analysts-ask\"\n"},
      {"a method", ann + "method = \"logging/setLevel\"\nparams = { level = \"info\" }\n",
       "decision = \"permit\"\nrule = \"analysts-log\"\n"},
      {"a method without a rule", ann + "method = \"tasks/list\"\n", "decision = \"deny\"\n"},
      {"a method of another revision",
       ann + "method = \"logging/setLevel\"\nfacts = { revision = \"2026-07-28\" }\n",
       "decision = \"deny\"\nreason = \"method_not_found\"\n"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Judged judged("[case.a]\n" + row.call + row.expected);
    EXPECT_EQ(judged.only().failure, "");
    EXPECT_TRUE(judged.only().has_passed())
        << text(judged.only().answer.decision.reason) << " by " << judged.only().answer.check;
  }
}

TEST(JudgeCases, TellsWhatDiffers) {
  struct Row {
    std::string expected;
    std::vector<std::string_view> differences;
  };
  const std::vector<Row> rows = {
      {"decision = \"deny\"\n", {}},
      {"decision = \"permit\"\n", {"decision"}},
      {"decision = \"deny\"\nreason = \"forbidden\"\n", {"reason"}},
      {"decision = \"deny\"\nreason = \"path_outside_root\"\npointer = \"/paths\"\n", {"pointer"}},
      {"decision = \"deny\"\nrule = \"analysts-read\"\n", {"rule"}},
      {"decision = \"permit\"\nrule = \"analysts-ask\"\n", {"decision", "rule"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.expected);
    const Judged judged(
        "[case.a]\nprincipal = \"ann\"\ntool = \"files/read\"\n"
        "arguments = { path = \"../x\" }\n" +
        row.expected);
    EXPECT_EQ(judged.only().differences, row.differences);
  }
}

TEST(JudgeCases, TellsWhichFactsOfTheWorldOutsideAreMissing) {
  std::string text = kPolicy;
  text.replace(text.find("[tool."), 0, "resolve = \"filesystem\"\ncontent = \"text\"\n");
  const Config config = policy(text);
  const std::string head =
      "version = 1\n[facts]\ntime = 2027-01-31T10:00:00Z\n[case.a]\nprincipal = \"ann\"\n"
      "tool = \"files/read\"\narguments = { path = \"a.md\" }\ndecision = \"permit\"\n";
  const auto judge = [&](const std::string& facts) {
    const CaseFile file = load_cases_text(head + facts, "c.toml");
    EXPECT_TRUE(file.problems.empty());
    const CaseResults results = judge_cases(config, file, {}, 0);
    std::vector<std::string> missing;
    for (const FactQuery& question : results.results.at(0).missing_facts)
      missing.push_back(bartizan::text(question));
    return std::pair(results.results.at(0).answer.decision.reason, missing);
  };
  using Told = std::pair<Reason, std::vector<std::string>>;
  EXPECT_EQ(judge(""), Told(Reason::argument_undecidable, {R"(places "/srv/data/a.md")"}));
  EXPECT_EQ(judge("facts.places = { \"/srv/data/a.md\" = \"file\" }\n"), Told(Reason::none, {}));
  EXPECT_EQ(judge("facts.places = { \"/srv/data/a.md\" = \"binary\" }\n"),
            Told(Reason::path_not_text, {}));
  EXPECT_EQ(judge("facts.places = { \"/srv/data/a.md\" = \"absent\" }\n"), Told(Reason::none, {}));
  EXPECT_EQ(judge("facts.places = { \"/srv/data/a.md\" = \"other\" }\n"),
            Told(Reason::path_not_allowed, {}));
  EXPECT_EQ(judge("facts.places = { \"/srv/data/a.md\" = \"outside\" }\n"),
            Told(Reason::path_outside_root, {}));
}

TEST(JudgeCases, RulesThatMatchedAreTold) {
  const std::string read = "principal = \"ann\"\ntool = \"files/read\"\ndecision = \"deny\"\n";
  const Judged day("[case.a]\n" + read);
  EXPECT_EQ(day.results.matched_rules, std::set<std::string>{"analysts-read"});
  // A rule that matches counts, also where another one decides.
  const Judged night("[case.a]\n" + read + "facts = { time = 2027-01-31T21:00:00Z }\n");
  EXPECT_EQ(night.results.matched_rules, (std::set<std::string>{"analysts-read", "not-at-night"}));
}

TEST(JudgeCases, DefinitionsAreHeldAgainst) {
  const std::string definition = R"([definition."files/read"]
inputSchema = { type = "object", properties = { path = { type = "string", maxLength = 4 } } }
)";
  const auto call = [](const std::string& path) {
    return "[case.a]\nprincipal = \"ann\"\ntool = \"files/read\"\narguments = { path = \"" + path +
           "\" }\ndecision = \"deny\"\nreason = \"arguments_invalid\"\n";
  };
  const Judged given(definition + call("long.md"));
  EXPECT_TRUE(given.only().has_passed());
  EXPECT_TRUE(given.results.assumed_tools.empty());
  EXPECT_FALSE(Judged(definition + call("a.md")).only().has_passed());
  const Judged assumed(call("long.md"));
  EXPECT_FALSE(assumed.only().has_passed());
  EXPECT_EQ(assumed.results.assumed_tools, std::set<std::string>{"files/read"});
}

TEST(JudgeCases, WhatIsAssumedHasWhatThePolicyNames) {
  const Config config = policy(kPolicy + R"([rule.few]
effect = "forbid"
roles = ["*"]
tools = ["files/list"]
when = { "/a/*/b" = { one_of = [1] }, "/c/0" = { one_of = [1], optional = true } }
)");
  const ToolDefinition tool = assume_definition(config, "files", "list");
  const JsonSchema* schema = tool.schemas->input.usable(SchemaOptions::Untranslatable::refuse);
  ASSERT_NE(schema, nullptr);
  for (const char* pointer : {"/path", "/a", "/a/*", "/a/*/b", "/c/0"})
    EXPECT_TRUE(schema->declares(pointer)) << pointer;
  EXPECT_FALSE(schema->declares("/d"));
  const ToolDefinition bare = assume_definition(config, "mail", "send");
  EXPECT_NE(bare.schemas->input.usable(SchemaOptions::Untranslatable::refuse), nullptr);
}

// A tool that is misspelled is refused, or permitted, like any other; what was meant is told.
TEST(FindCaseDoubts, ToolsThatNothingElseNames) {
  const auto doubts = [](const std::string& rest) {
    const CaseFile file = load_cases_text("version = 1\n" + rest, "c.toml");
    EXPECT_TRUE(file.problems.empty()) << text(file.problems.front());
    std::string told;
    for (const ConfigProblem& problem : find_case_doubts(policy(), file)) {
      EXPECT_EQ(problem.severity, ConfigProblem::Severity::warning);
      told += text(problem) + "\n";
    }
    return told;
  };
  const auto calling = [](const std::string& tool) {
    return "[case.a]\nprincipal = \"ann\"\ntool = \"" + tool + "\"\ndecision = \"deny\"\n";
  };
  const std::string listed = "[definition.\"files/read\"]\ninputSchema = { type = \"object\" }\n";
  EXPECT_EQ(doubts(calling("files/read")), "");
  EXPECT_EQ(doubts(listed + calling("files/read")), "");
  EXPECT_EQ(doubts(calling("files/raed")),
            "c.toml:2:7: warning: nothing else names the tool \"files/raed\"; did you mean "
            "\"read\"?\n");
  EXPECT_EQ(doubts(listed + calling("files/raed")),
            "c.toml:4:7: warning: neither lock file nor case file has the tool \"files/raed\"; did "
            "you mean \"read\"?\n");
  EXPECT_EQ(doubts(calling("files/something_else")), "") << "nobody knows what there is";
  EXPECT_EQ(doubts(listed + calling("files/something_else")),
            "c.toml:4:7: warning: neither lock file nor case file has the tool "
            "\"files/something_else\"\n");
  EXPECT_EQ(doubts(listed + calling("nowhere/raed")), "") << "an error of its own";
  EXPECT_EQ(doubts("[case.a]\nprincipal = \"ann\"\nmethod = \"ping\"\ndecision = \"permit\"\n"),
            "");
}

TEST(FindCaseProblems, NamesThatThePolicyHasNot) {
  const CaseFile file = load_cases_text(R"(version = 1
[definition.read]
[definition."files/list"]
inputSchema = { type = "string" }
[case.a]
principal = "anne"
tool = "file/read"
decision = "deny"
reason = "forbiden"
[case.b]
roles = ["analysts"]
tool = "files/read"
decision = "permit"
rule = "analyst-read"
)",
                                        "c.toml");
  std::vector<std::string> found;
  for (const ConfigProblem& problem : find_case_problems(policy(), file))
    found.push_back(text(problem));
  for (const ConfigProblem& problem : read_definitions(file).problems)
    found.push_back(text(problem));
  const std::vector<std::string> wanted = {
      "c.toml:5:7: error: there is no principal \"anne\"; did you mean \"ann\"?",
      "c.toml:5:7: error: there is no server \"file\"; did you mean \"files\"?",
      "c.toml:5:7: error: there is no reason \"forbiden\"; did you mean \"forbidden\"?",
      "c.toml:10:7: error: there is no role \"analysts\"; did you mean \"analyst\"?",
      "c.toml:10:7: error: there is no rule \"analyst-read\"; did you mean \"analysts-read\"?",
  };
  ASSERT_EQ(found.size(), wanted.size() + 2);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(found[i], wanted[i]);
  EXPECT_TRUE(found[5].contains("\"read\" names no server and tool")) << found[5];
  EXPECT_TRUE(found[6].contains("the definition cannot be used")) << found[6];
}

}  // namespace
}  // namespace bartizan
