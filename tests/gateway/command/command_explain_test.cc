#include "gateway/command/command_explain.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "audit/audit_log.h"
#include "gateway/command/command_test.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

const std::string kPolicy = R"(version = 1
[server.files]
command = ["/bin/cat"]
[role.analyst]
permissions = ["read:files"]
[principal.ann]
roles = ["analyst"]
[tool."files/*"]
permissions = ["read:files", "read:more"]
[tool."files/*".arguments]
"/head" = { number = { max = 10 } }
[rule.analysts-read]
effect = "permit"
roles = ["analyst"]
tools = ["files/read"]
[rule.by-http]
effect = "forbid"
principals = ["ann"]
tools = ["files/*"]
when = { transport = ["http"], "/head" = { number = { min = 9 } } }
[rule.nobody]
effect = "forbid"
roles = ["*"]
tools = ["mail/*"]
[server.mail]
command = ["/bin/cat"]
[audit]
file = "audit.jsonl"
)";
const std::string kCall = R"({"principal": "ann", "tool": "files/read", "arguments": {"head": 11},
 "facts": {"time": "2027-01-31T09:00:00Z"}})";
constexpr std::string_view kId = "01900000-0000-7000-8000-000000000001";

struct Finished {
  int exit_code;
  std::string results, problems;
};

class ExplainTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "bartizan-explain-XXXXXX";
    folder_ = mkdtemp(name.data());
    policy_ = file("policy.toml", kPolicy);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static Finished ask(const ExplainOptions& options, OutputFormat format,
                      const std::string& input = "") {
    std::istringstream in(input);
    std::ostringstream results, problems;
    const int exit_code = explain(options, in, {results, problems, format});
    return {exit_code, results.str(), problems.str()};
  }
  Finished explain_input(const std::string& call, OutputFormat format = OutputFormat::text) const {
    return ask({.asked = "-", .policy = policy_}, format, call);
  }
  /// A record with one decision about a call.
  std::string record() const {
    const std::string path = folder_ / "audit.jsonl";
    Result<AuditLog::Opened> opened = AuditLog::open(path);
    EXPECT_TRUE(opened);
    Record record;
    record.time = std::chrono::sys_days(std::chrono::year(2027) / 1 / 31) + std::chrono::hours(9);
    record.decision_id = kId;
    record.source = "[2001:db8::7]:4711";
    record.transport = "http";
    record.principal = "ann";
    record.protocol = "2025-11-25";
    record.server = "files";
    record.method = "tools/call";
    record.target = "read";
    record.argument_digest = "abcd";
    record.decision = "deny";
    record.reason = "forbidden";
    record.policy = "0123";
    record.addresses = {"1.1.1.1", "::1"};
    record.detail = "argument /path is a directory, not a file";
    const EncodedRecord encoded = encode_record(record);
    EXPECT_TRUE(opened->log.append(std::span(&encoded, 1)));
    return path;
  }

  std::filesystem::path folder_;
  std::string policy_;
};

TEST_F(ExplainTest, SaysAllThatADecisionGoesBy) {
  const Finished told = explain_input(kCall);
  EXPECT_EQ(told.exit_code, kExitDone) << told.problems;
  for (const std::string_view line : {
           "deny, forbidden, by rule by-http\n",
           "call        tools/call files/read by ann, roles analyst\n",
           "access      deny, forbidden, by rule by-http\n",
           "permit analysts-read (",
           ") matches\n",
           ") matches: when transport is undecidable, when /head is true\n",
           "permissions read:files held\n            read:more lacking\n",
           "/head of [tool.\"files/*\"] (",
           ") refuses, argument_not_allowed at /head\n",
           "limits      everyone, tool, user\n",
           "facts       time 2027-01-31T09:00:00.000000Z\n",
           "not known   transport\n",
           "note        the tool's definition is not known",
       }) {
    EXPECT_TRUE(told.results.contains(line)) << line << "\n" << told.results;
  }
  // A rule about something else is none of its business.
  EXPECT_FALSE(told.results.contains("nobody"));
  EXPECT_EQ(explain_input(kCall).results, told.results);
}

TEST_F(ExplainTest, SaysWhatNoPredicateNames) {
  constexpr std::string_view kOther =
      R"({"principal": "ann", "tool": "files/read", "arguments": {"head": 1, "tail": 1}})";
  const Finished told = explain_input(std::string(kOther));
  EXPECT_TRUE(told.results.contains("/tail is refused: no predicate names it\n")) << told.results;
  const Finished json = explain_input(std::string(kOther), OutputFormat::json);
  EXPECT_TRUE(json.results.contains(R"("unguarded":["/tail"],"unguarded_are":"refused")"))
      << json.results;
  const Finished open =
      ask({.asked = "-",
           .policy = file("open.toml", "version = 1\n[policy]\nunguarded_arguments = \"allow\"\n" +
                                           kPolicy.substr(kPolicy.find('\n')))},
          OutputFormat::text, std::string(kOther));
  EXPECT_TRUE(open.results.contains("/tail passes: no predicate names it, and [policy]"))
      << open.results << open.problems;
  const Finished none =
      explain_input(R"({"principal": "ann", "tool": "mail/send", "arguments": {"to": "bo"}})");
  EXPECT_TRUE(none.results.contains("/to passes: no predicate is about")) << none.results;
}

TEST_F(ExplainTest, SaysItToPrograms) {
  const Finished told = explain_input(kCall, OutputFormat::json);
  const Bytes bytes(told.results);
  JsonDocument document;
  const Result<JsonValue> json = document.read(bytes);
  ASSERT_TRUE(json.has_value()) << told.results;
  EXPECT_EQ(json->find("decision").text(), "deny");
  EXPECT_EQ(json->find("rule").text(), "by-http");
  EXPECT_EQ(json->at_pointer("/checks/6/check").text(), "access");
  EXPECT_EQ(json->at_pointer("/rules/1/name").text(), "by-http");
  EXPECT_EQ(json->at_pointer("/rules/1/when/0/answer").text(), "undecidable");
  EXPECT_EQ(json->at_pointer("/permissions/1/held").boolean(), false);
  EXPECT_EQ(json->at_pointer("/predicates/0/reason").text(), "argument_not_allowed");
  EXPECT_EQ(json->at_pointer("/missing_facts/0").text(), "transport");
}

TEST_F(ExplainTest, SaysHowManyOfWhomHaveToApprove) {
  const std::string policy = file("asking.toml", kPolicy + R"([state]
file = "state.db"
[server.desk]
command = ["/bin/cat"]
[role.boss]
[principal.bob]
roles = ["boss"]
[principal.eve]
[rule.ask]
effect = "require_approval"
roles = ["analyst"]
tools = ["desk/ask"]
approvers = ["boss"]
approver_principals = ["eve"]
approvals = 2
[rule.send]
effect = "permit"
roles = ["analyst"]
tools = ["desk/ask"]
)");
  const std::string call = R"({"principal": "ann", "tool": "desk/ask", "arguments": {}})";
  const Finished told = ask({.asked = "-", .policy = policy}, OutputFormat::text, call);
  const Finished json = ask({.asked = "-", .policy = policy}, OutputFormat::json, call);
  EXPECT_TRUE(
      told.results.contains("to approve  2 persons of: role boss, principal eve; not the caller\n"))
      << told.results << told.problems;
  EXPECT_TRUE(json.results.contains(R"("to_approve":{"approvals":2,"approvers":["boss"],)"
                                    R"("approver_principals":["eve"],"self_approval":false})"))
      << json.results;
  EXPECT_FALSE(explain_input(kCall).results.contains("to approve"));
}

TEST_F(ExplainTest, SaysWhatIsWrongWithTheDescription) {
  EXPECT_TRUE(explain_input("{").problems.starts_with("standard input:1:1: error: "));
  const Finished unknown = explain_input(R"({"principal": "anne", "tool": "files/read"})");
  EXPECT_EQ(unknown.exit_code, kExitFailed);
  EXPECT_TRUE(unknown.problems.contains("no principal \"anne\"; did you mean \"ann\"?"));
  EXPECT_EQ(ask({.asked = "-", .policy = "/missing.toml"}, OutputFormat::text, kCall).exit_code,
            kExitFailed);
}

TEST_F(ExplainTest, SaysWhatTheRecordLacks) {
  const std::string path = record();
  const ExplainOptions options{
      .asked = std::string(kId.substr(0, 12)), .policy = policy_, .record = {.files = {path}}};
  const Finished told = ask(options, OutputFormat::text);
  EXPECT_EQ(told.exit_code, kExitDone) << told.problems;
  constexpr std::string_view described =
      R"({"principal":"ann","tool":"files/read","arguments":{},"facts":{)"
      R"("time":"2027-01-31T09:00:00.000000Z","transport":"http",)"
      R"("client_address":"2001:db8::7","revision":"2025-11-25"}})";
  for (const std::string_view part :
       {std::string_view("forbidden"),
        std::string_view("the arguments, of which the record has the digest abcd"),
        std::string_view(
            "the names in its URLs, which the record has only as addresses: 1.1.1.1, ::1;"),
        std::string_view("further answers of the disk, for places and contents in facts\n"),
        std::string_view("the definition that the server listed"),
        std::string_view("is not the policy that decided"), described}) {
    EXPECT_TRUE(told.results.contains(part)) << part << "\n" << told.results;
  }
  // What it prints is what it takes.
  const std::string call = told.results.substr(told.results.rfind("\n{") + 1);
  const Finished again = explain_input(call);
  EXPECT_EQ(again.exit_code, kExitDone) << again.problems;
  EXPECT_TRUE(again.results.contains("client_address 2001:db8::7")) << again.results;
  const Finished json = ask(options, OutputFormat::json);
  EXPECT_TRUE(json.results.starts_with("{\"call\":{\"principal\":\"ann\"")) << json.results;
  const Finished missing = ask({.asked = "02", .record = {.files = {path}}}, OutputFormat::text);
  EXPECT_EQ(missing.exit_code, kExitFailed);
}

class TestTest : public ExplainTest {
 protected:
  Finished test(const std::string& cases, OutputFormat format = OutputFormat::text,
                TestOptions::Coverage coverage = TestOptions::Coverage::tell) const {
    std::ostringstream results, problems;
    const int exit_code =
        test_policy({.policy = policy_, .cases = {file("cases.toml", cases)}, .coverage = coverage},
                    {results, problems, format});
    return {exit_code, results.str(), problems.str()};
  }
};

const std::string kCases = R"(version = 1
[case.a]
principal = "ann"
tool = "files/read"
arguments = { head = 3 }
facts = { transport = "stdio" }
)";

TEST_F(TestTest, ExitCodesSayWhetherAllIsAsExpected) {
  const std::string passes = kCases + "decision = \"deny\"\nreason = \"permission_missing\"\n";
  const std::string fails = kCases + "decision = \"permit\"\n";
  EXPECT_EQ(test(passes).exit_code, kExitDone);
  EXPECT_EQ(test(passes, OutputFormat::text, TestOptions::Coverage::require).exit_code,
            kExitFailed);
  EXPECT_TRUE(
      test(passes).results.contains("rules: 1 of 3 matched in a case; in none: by-http, nobody\n"))
      << test(passes).results;
  const Finished failed = test(fails);
  EXPECT_EQ(failed.exit_code, kExitFailed);
  EXPECT_TRUE(failed.results.contains(
      "cases.toml:2:7: \"a\": expected permit; got deny, permission_missing\n"))
      << failed.results;
  const Finished json = test(fails, OutputFormat::json);
  EXPECT_EQ(json.exit_code, kExitFailed);
  EXPECT_TRUE(json.results.contains(
      R"("got":{"decision":"deny","reason":"permission_missing","check":"permission"})"))
      << json.results;
}

TEST_F(TestTest, SaysHowToTellWhatNobodySaid) {
  const std::string policy = kPolicy + R"([path.docs]
root = "/srv/data"
resolve = "filesystem"
[rule.posts]
effect = "permit"
roles = ["*"]
tools = ["post/*"]
[server.post]
command = ["/bin/cat"]
[tool."post/*".arguments]
"/path" = { path = "docs", optional = true }
"/sum" = { digest = { sha256 = [")" +
                             std::string(64, 'a') + R"("], path = "docs" }, optional = true }
"/url" = { url = { hosts = ["**"], resolve = true }, optional = true }
)";
  const auto told = [&](const std::string& arguments, const std::string& facts = "") {
    std::ostringstream results, problems;
    const std::string cases = file("cases.toml",
                                   "version = 1\n[case.a]\nprincipal = \"ann\"\ntool = "
                                   "\"post/send\"\narguments = { " +
                                       arguments + " }\ndecision = \"permit\"\n" + facts);
    test_policy({.policy = file("asking.toml", policy), .cases = {cases}},
                {results, problems, OutputFormat::text});
    return results.str() + problems.str();
  };
  const std::string places = "facts.places = { \"/srv/data/a\" = \"file\" }";
  EXPECT_TRUE(
      told("path = \"/srv/data/a\"")
          .contains("    the case does not give places \"/srv/data/a\"; add, for example, " +
                    places + " (or \"directory\", "))
      << told("path = \"/srv/data/a\"");
  // What is told is what a case takes.
  EXPECT_TRUE(told("path = \"/srv/data/a\"", places + "\n").contains("1 of 1 case as expected"))
      << told("path = \"/srv/data/a\"", places + "\n");
  EXPECT_TRUE(told("sum = \"/srv/data/a\"", places + "\n")
                  .contains("facts.contents = { \"/srv/data/a\" = \"SHA-256 of the file\" }\n"));
  EXPECT_TRUE(told("url = \"https://a.example.com/\"")
                  .contains("facts.addresses = { \"a.example.com\" = [\"1.1.1.1\"] }\n"));
  EXPECT_TRUE(
      told("path = \"/srv/data/a\", other = 1").contains("got deny, argument_unguarded at /other"))
      << "what is wrong is told before what nobody said";
}

TEST_F(TestTest, TellsOfToolsThatNothingNames) {
  const std::string misspelled = R"(version = 1
[case.a]
principal = "ann"
tool = "files/raed"
decision = "deny"
)";
  const Finished told = test(misspelled);
  EXPECT_EQ(told.exit_code, kExitDone);
  EXPECT_TRUE(
      told.problems.contains("cases.toml:2:7: warning: nothing else names the tool "
                             "\"files/raed\"; did you mean \"read\"?\n"))
      << told.problems;
  EXPECT_TRUE(test(misspelled, OutputFormat::json).results.contains("\"warnings\":[{"));
}

TEST_F(TestTest, WhatIsWrongIsNoResult) {
  const Finished wrong = test("version = 1\n[case.a]\nprincipal = \"ann\"\n");
  EXPECT_EQ(wrong.exit_code, kExitFailed);
  EXPECT_EQ(wrong.results, "");
  EXPECT_TRUE(wrong.problems.contains("cases.toml:2:7: error: "));
  EXPECT_TRUE(test("", OutputFormat::json).results.contains("\"ok\":false"));
}

// Of windows and days that end, the time of the command line counts, before the time of the call.
TEST_F(ExplainTest, JudgesAsAtATime) {
  const std::string policy = file("timed.toml", kPolicy + R"([rule.by-day]
effect = "forbid"
roles = ["*"]
tools = ["files/read"]
when = { time = { days = ["mon"], from = "09:00", to = "17:00", zone = "UTC" } }
[tool."files/read"]
permissions = []
)");
  const struct {
    std::string_view name, time;
    bool is_refused;
  } rows[] = {
      {"on a Monday at ten", "2027-02-01T10:00:00Z", true},
      {"the same by an offset", "2027-02-01T11:00:00+01:00", true},
      {"almost nine", "2027-02-01T08:59:59Z", false},
      {"at five", "2027-02-01T17:00:00Z", false},
      {"on a Sunday, as the call says", "", false},
  };
  const std::string call = R"({"roles":["analyst"],"tool":"files/read","arguments":{"head":1},)"
                           R"("facts":{"time":"2027-01-31T10:00:00Z"}})";
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Finished told = ask({.asked = "-", .policy = policy, .time = std::string(row.time)},
                              OutputFormat::text, call);
    EXPECT_EQ(told.exit_code, kExitDone) << told.problems;
    EXPECT_EQ(told.results.contains("by rule by-day"), row.is_refused) << told.results;
    if (row.time.ends_with('Z')) {
      EXPECT_TRUE(told.results.contains(row.time.substr(0, 19))) << told.results;
    }
  }
  const Finished wrong =
      ask({.asked = "-", .policy = policy, .time = "at noon"}, OutputFormat::text, call);
  EXPECT_EQ(wrong.exit_code, kExitUsage);
  EXPECT_TRUE(wrong.problems.contains("\"at noon\" is not a time: write 2026-11-30"))
      << wrong.problems;
}

}  // namespace
}  // namespace bartizan
