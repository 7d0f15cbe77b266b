#include "config/load/case_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/problems.h"

namespace bartizan {
namespace {

const std::string kHead = "version = 1\n";

TEST(CaseFile, SaysWhoCallsWhatAndWhatIsExpected) {
  const CaseFile file = load_cases_text(R"(version = 1
[facts]
time = 2027-01-31T10:00:00+01:00
transport = "http"
[definition."files/read"]
inputSchema = { type = "object" }
[case.second]
roles = ["reader", "analyst"]
resource = "files:file:///srv/data/a.md"
method = "resources/subscribe"
facts = { transport = "stdio", client_address = "10.0.0.7", revision = "2026-07-28" }
decision = "deny"
reason = "forbidden"
rule = "nobody"
[case.first]
principal = "ann"
tool = "files/read"
arguments = { path = "a.md", head = 3 }
decision = "permit"
)",
                                        "c.toml");
  ASSERT_TRUE(file.problems.empty()) << text(file.problems.front());
  ASSERT_EQ(file.cases.size(), 2U);
  // In the order of the file, not of the names.
  const PolicyCase& second = file.cases[0];
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.call.roles, (std::vector<std::string>{"analyst", "reader"}));
  EXPECT_EQ(second.call.target_kind, TargetKind::resource);
  EXPECT_EQ(second.call.server, "files");
  EXPECT_EQ(second.call.target, "file:///srv/data/a.md");
  EXPECT_EQ(second.call.method, "resources/subscribe");
  EXPECT_EQ(second.call.facts.transport, Transport::stdio);
  EXPECT_EQ(second.call.facts.client_address, "10.0.0.7");
  EXPECT_EQ(second.call.facts.revision, ProtocolVersion::v2026_07_28);
  EXPECT_EQ(second.expected.decision, ExpectedAnswer::Decision::deny);
  EXPECT_EQ(second.expected.reason, "forbidden");
  EXPECT_EQ(second.expected.rule, "nobody");

  const PolicyCase& first = file.cases[1];
  EXPECT_EQ(first.call.principal, "ann");
  EXPECT_EQ(first.call.method, "tools/call");
  EXPECT_EQ(first.call.arguments, R"({"head":3,"path":"a.md"})");
  EXPECT_EQ(first.call.facts.time, 1801386000);
  EXPECT_EQ(first.call.facts.transport, Transport::http);
  EXPECT_EQ(first.expected.decision, ExpectedAnswer::Decision::permit);
  EXPECT_EQ(place(file.files, first.where), "c.toml:15:7");
  EXPECT_EQ(file.tools.at("files/read").entry, R"({"inputSchema":{"type":"object"}})");
}

TEST(CaseFile, SaysWhatTheWorldOutsideIsLike) {
  const CaseFile file = load_cases_text(R"(version = 1
[facts]
places = { "/srv/data/a.md" = "file", "/srv/data/l" = "outside", "/srv/data/b.md" = "binary" }
addresses = { "a.example.com" = ["1.1.1.1", "::1"] }
[case.one]
principal = "ann"
tool = "files/read"
facts.contents = { "/srv/data/a.md" = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" }
decision = "permit"
[case.two]
principal = "ann"
tool = "files/read"
facts.places = { "/srv/data/a.md" = "absent" }
decision = "permit"
)",
                                        "c.toml");
  ASSERT_TRUE(file.problems.empty()) << text(file.problems.front());
  using Place = DescribedFacts::Place;
  const DescribedFacts& one = file.cases[0].call.facts;
  EXPECT_EQ(one.places.size(), 3U);
  EXPECT_EQ(one.places.at("/srv/data/b.md"), Place::binary);
  EXPECT_EQ(one.places.at("/srv/data/a.md"), Place::file);
  EXPECT_EQ(one.places.at("/srv/data/l"), Place::outside);
  EXPECT_EQ(one.contents.at("/srv/data/a.md").size(), 64U);
  EXPECT_EQ(one.addresses.at("a.example.com"), (std::vector<std::string>{"1.1.1.1", "::1"}));
  // What a case says takes the place of what all cases have.
  const DescribedFacts& two = file.cases[1].call.facts;
  EXPECT_EQ(two.places.size(), 1U);
  EXPECT_EQ(two.places.at("/srv/data/a.md"), Place::absent);
  const CaseFile wrong = load_cases_text(
      "version = 1\n[facts]\nplaces = { \"/a\" = \"here\" }\ncontents = { \"/a\" = \"ab\" }\n",
      "c.toml");
  ASSERT_EQ(wrong.problems.size(), 2U);
  EXPECT_TRUE(text(wrong.problems[0]).contains("c.toml:3:")) << text(wrong.problems[0]);
  EXPECT_TRUE(text(wrong.problems[1]).contains("\"ab\" is not a SHA-256"))
      << text(wrong.problems[1]);
}

TEST(CaseFile, ArgumentsCanBeJson) {
  const CaseFile file =
      load_cases_text(kHead +
                          "[case.a]\nprincipal = \"ann\"\ntool = \"s/t\"\ndecision = \"deny\"\n"
                          "arguments = '{\"b\": null, \"a\": 1.50}'\n",
                      "c.toml");
  ASSERT_TRUE(file.problems.empty()) << text(file.problems.front());
  EXPECT_EQ(file.cases.at(0).call.arguments, R"({"b": null, "a": 1.50})");
}

TEST(CaseFile, SaysWhatIsWrong) {
  struct Row {
    std::string lines, problem;
  };
  const std::string who = "principal = \"ann\"\ndecision = \"deny\"\n";
  const std::vector<Row> rows = {
      {"tool = \"s/t\"\ndecision = \"deny\"\n", "either a \"principal\" or \"roles\""},
      {who + "roles = [\"r\"]\ntool = \"s/t\"\n", "either a \"principal\" or \"roles\""},
      {"principal = \"ann\"\ntool = \"s/t\"\n", "no \"decision\""},
      {who, "one of \"tool\", \"resource\", \"prompt\" and \"method\""},
      {who + "tool = \"s/t\"\nprompt = \"s/p\"\n", "one of \"tool\", \"resource\""},
      {who + "tool = \"t\"\n", "\"t\" names no server and tool"},
      {who + "tool = \"s/\"\n", "names no server and tool"},
      {who + "tool = \"/t\"\n", "names no server and tool"},
      {who + "resource = \"s/file:///a\"\n", "names no server and resource"},
      {who + "tool = \"s:t\"\n", "names no server and tool"},
      {who + "method = \"tools/cal\"\n", "\"tools/cal\" is not a request"},
      {who + "method = \"notifications/cancelled\"\n", "is not a request"},
      {who + "method = \"sampling/createMessage\"\n", "is not a request"},
      {who + "method = \"tools/call\"\n", "needs its target beside it"},
      {who + "method = \"resources/read\"\ntool = \"s/t\"\n", "is about something else"},
      {who + "method = \"ping\"\narguments = { a = 1 }\n", "only tools and prompts have arguments"},
      {who + "tool = \"s/t\"\nparams = { a = 1 }\n", "\"params\" are those of a \"method\""},
      {who + "tool = \"s/t\"\narguments = [1]\n", "\"arguments\" must be a table"},
      {who + "tool = \"s/t\"\narguments = \"[1]\"\n", "\"arguments\" must be a table"},
      {who + "tool = \"s/t\"\narguments = { at = 2027-01-31 }\n", "a date is not a JSON value"},
      {who + "tool = \"s/t\"\nfacts = { time = 2027-01-31T10:00:00 }\n", "with an offset"},
      {who + "tool = \"s/t\"\nfacts = { time = \"now\" }\n", "\"time\" must be a time"},
      {who + "tool = \"s/t\"\nfacts = { transport = \"htp\" }\n", "did you mean \"http\"?"},
      {who + "tool = \"s/t\"\nfacts = { weather = \"fair\" }\n", "unknown key \"weather\""},
      {who + "tool = \"s/t\"\nresaon = \"forbidden\"\n", "unknown key \"resaon\""},
      {"principal = \"ann\"\ntool = \"s/t\"\ndecision = \"permit\"\nreason = \"forbidden\"\n",
       "what is permitted has no \"reason\""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.lines);
    const CaseFile file = load_cases_text(kHead + "[case.a]\n" + row.lines, "c.toml");
    ASSERT_EQ(file.problems.size(), 1U);
    const std::string problem = text(file.problems.front());
    EXPECT_TRUE(problem.contains(row.problem)) << problem;
    EXPECT_TRUE(problem.starts_with("c.toml:")) << problem;
  }
}

TEST(CaseFile, IsItsOwnLanguage) {
  EXPECT_EQ(load_cases_text("[case.a]\n", "c.toml").problems.front().message,
            "\"version\" is required");
  const CaseFile file = load_cases_text(kHead + "[server.files]\n", "c.toml");
  ASSERT_EQ(file.problems.size(), 1U);
  EXPECT_TRUE(file.problems.front().message.contains("unknown key \"server\""));
  // Problems name the tables as the file has them.
  EXPECT_EQ(load_cases_text(kHead + "case = 1\n", "c.toml").problems.front().hint,
            "write [case.NAME] for each");
  EXPECT_TRUE(
      load_cases_text(kHead + "[case.\"a b\"]\nprincipal = \"p\"\ntool = \"s/t\"\n", "c.toml")
          .problems.front()
          .message.contains("is not a name for a case"));
  EXPECT_FALSE(load_cases("/nowhere/c.toml").problems.empty());
  EXPECT_FALSE(load_cases_text("version = ", "c.toml").problems.empty());
}

TEST(CallJson, HasTheSameKeys) {
  const CaseFile file = read_call_json(R"({"principal": "ann", "tool": "files/read",
  "arguments": {"path": null, "path2": 1.50, "n": -9223372036854775809},
  "facts": {"time": "2027-01-31T10:00:00+01:00", "transport": "http"},
  "definition": {"inputSchema": {"type": "object", "default": null}}})",
                                       "call.json");
  ASSERT_TRUE(file.problems.empty()) << text(file.problems.front());
  const DescribedCall& call = file.cases.at(0).call;
  EXPECT_EQ(call.principal, "ann");
  EXPECT_EQ(call.target, "read");
  EXPECT_EQ(call.arguments, R"({"path": null, "path2": 1.50, "n": -9223372036854775809})");
  EXPECT_EQ(call.facts.time, 1801386000);
  EXPECT_EQ(call.facts.transport, Transport::http);
  EXPECT_EQ(file.tools.at("files/read").entry,
            R"({"inputSchema": {"type": "object", "default": null}})");
}

TEST(CallJson, SaysWhatIsWrong) {
  struct Row {
    std::string json, problem;
  };
  const std::vector<Row> rows = {
      {"{", "call.json:1:1: error: this is not JSON"},
      {"[]", "call.json:1:1: error: a call is a JSON object"},
      {"{\"principal\":\"ann\",\n \"tool\":7}", "call.json:2:9: error: \"tool\" must be a string"},
      {R"({"principal":"ann","tool":"s/t","arguments":[]})", "\"arguments\" must be a table"},
      {R"({"principal":"ann","tool":"s/t","facts":{"time":"soon"}})", "must be a date and a time"},
      {R"({"principal":"ann","tool":"s/t","facts":{"time":"2027-01-31T10:00:00Z\nx = 1"}})",
       "must be a date and a time"},
      {R"({"principal":"ann","tool":"s/t","facts":{"time":null}})", "null says nothing here"},
      {R"({"principal":"ann","tool":"s/t","tol":1})", "unknown key \"tol\""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.json);
    const CaseFile file = read_call_json(row.json, "call.json");
    ASSERT_FALSE(file.problems.empty());
    EXPECT_TRUE(text(file.problems.front()).contains(row.problem)) << text(file.problems.front());
  }
}

}  // namespace
}  // namespace bartizan
