#include "policy/check/renamed_arguments.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/check/compile_policy.h"
#include "policy/explain/case_call.h"
#include "policy/explain/pinned_definitions.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

std::vector<RenamedArgument> renames(std::vector<std::pair<std::string, std::string>> pairs) {
  std::vector<RenamedArgument> all;
  for (auto& [listed, sent] : pairs)
    all.push_back({.listed = std::move(listed), .sent = std::move(sent)});
  return all;
}

/// The arguments of a call under other names; empty where nothing changes.
std::string renamed(const RenamedArguments& names, std::string_view arguments) {
  const auto sample = sample_tool_call("files", "read_text", arguments);
  const auto text = names.apply(sample->call.message, sample->call.bytes.view());
  if (!text.has_value()) return "";
  const Bytes bytes{std::string_view(*text)};
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  EXPECT_TRUE(root.has_value()) << *text;
  const Result<Message> message = parse_message(*root);
  EXPECT_TRUE(message.has_value()) << *text;
  EXPECT_FALSE(names.apply(*message, bytes.view()).has_value()) << *text;
  return std::string(message->arguments.raw());
}

TEST(RenamedArguments, AreSentUnderTheNamesThatTheServerReads) {
  const RenamedArguments one(renames({{"/query", "/sql"}}));
  const RenamedArguments deep(renames({{"/o/a", "/o/b"}, {"/o/p/x", "/o/p/y"}, {"/o", "/q"}}));
  const RenamedArguments odd(renames({{"/a~1b", R"(/"\%)"}}));
  const struct {
    std::string_view name;
    const RenamedArguments& names;
    std::string_view arguments;
    std::string_view want;  ///< Empty: as it was.
  } rows[] = {
      {"renamed", one, R"({ "query" : "SELECT 1" })", R"({ "sql" : "SELECT 1" })"},
      {"whatever its type", one, R"({"query":{"query":null}})", R"({"sql":{"query":null}})"},
      {"an escaped name", one, R"({"qu\u0065ry":1})", R"({"sql":1})"},
      {"as the server reads it", one, R"({"sql":"SELECT 1"})", ""},
      {"both stay", one, R"({"query":"a","sql":"b"})", ""},
      {"another place", one, R"({"o":{"query":1}})", ""},
      {"another case", one, R"({"Query":1})", ""},
      {"none", one, "{}", ""},
      {"no arguments", one, "", ""},
      {"deep", deep, R"({"o":{"p":{"x":1},"a":2}})", R"({"q":{"p":{"y":1},"b":2}})"},
      {"another shape on the way", deep, R"({"o":[{"a":1}]})", R"({"q":[{"a":1}]})"},
      {"names are escaped", odd, R"({"a/b":1})", R"({"\"\\%":1})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(renamed(row.names, row.arguments), row.want);
  }
}

constexpr std::string_view kListed =
    R"({"name":"query_osquery","description":"d","inputSchema":{"type":"object","properties":{)"
    R"("query":{"type":"string","x-mcp-header":"Sql"},"limit":{"type":"integer"}},)"
    R"("required":["query"],"additionalProperties":false}})";

ToolDefinition listed(std::string_view entry = kListed) {
  return read_listed_tool(entry, kResponseLimits, {}).value();
}

TEST(RenamedArguments, RenameTheSchemaAndTheHeaders) {
  const ToolDefinition tool = listed();
  const auto sent = renamed_tool(tool, RenamedArguments(renames({{"/query", "/sql"}})));
  ASSERT_NE(sent, nullptr);
  EXPECT_EQ(sent->fingerprint, tool.fingerprint) << "people approve what the server lists";
  EXPECT_EQ(sent->raw, tool.raw);
  const JsonSchema* schema = sent->schemas->input.usable(SchemaOptions::Untranslatable::refuse);
  ASSERT_NE(schema, nullptr);
  EXPECT_TRUE(schema->declares("/sql"));
  EXPECT_TRUE(schema->declares("/limit"));
  EXPECT_FALSE(schema->declares("/query"));
  ASSERT_EQ(sent->mirrored.size(), 1U);
  EXPECT_EQ(sent->mirrored[0].pointer, "/sql");
  EXPECT_EQ(sent->mirrored[0].listed, "/query");
}

TEST(RenamedArguments, DoNotFitASchemaThatHasBothNames) {
  constexpr std::string_view kBoth =
      R"({"name":"t","inputSchema":{"type":"object","properties":{"query":{},"sql":{}}}})";
  EXPECT_EQ(renamed_tool(listed(kBoth), RenamedArguments(renames({{"/query", "/sql"}}))), nullptr);
}

/// What policy says of a call of the tool above, of which analysts may read one table.
Decision decision_on(std::string_view arguments, std::string_view entry = kListed) {
  Config config = sample_config();
  config.servers["osquery"].name = "osquery";
  ToolProfile profile{.pattern = "osquery/query_osquery"};
  profile.renames = renames({{"/query", "/sql"}});
  profile.arguments = {
      {.pointer = "/sql", .predicate = OneOfPredicate{{R"("SELECT 1")"}}},
      {.pointer = "/limit", .predicate = NumberPredicate{.max = "9"}, .optional = true}};
  config.tools = {profile};
  add_rule(config, sample_rule("analysts", Effect::permit, {"analyst"}, {"osquery/query_osquery"}));
  const auto policy = compile_policy(config, {});
  const ToolDefinition tool = listed(entry);
  DescribedCall described;
  described.principal = "ann";
  described.target_kind = TargetKind::tool;
  described.method = "tools/call";
  described.server = "osquery";
  described.target = "query_osquery";
  described.arguments = arguments;
  const auto made = CaseCall::make(described, *policy, &tool, 0);
  EXPECT_TRUE(made.has_value());
  return answer_of(policy->judge((*made)->call())).decision;
}

TEST(RenamedArguments, AreRefusedUnderBothNamesWhateverTheSchemaSays) {
  constexpr std::string_view kOpen =
      R"({"name":"query_osquery","inputSchema":{"type":"object","properties":{"query":{}}}})";
  const Decision decision = decision_on(R"({"query":"SELECT 1","sql":"SELECT 1"})", kOpen);
  EXPECT_EQ(decision.reason, Reason::argument_not_absent);
  EXPECT_EQ(decision.pointer, "/query");
  EXPECT_EQ(decision_on(R"({"query":"SELECT 1"})", kOpen).reason, Reason::none);
  EXPECT_EQ(decision_on(R"({"Query":"SELECT 2","sql":"SELECT 1"})", kOpen).reason,
            Reason::argument_unguarded)
      << "some servers read it as the name that is listed";
}

TEST(RenamedArguments, AreJudgedAsTheyAreSent) {
  const struct {
    std::string_view name, arguments;
    Reason reason;
    std::string_view pointer;
  } rows[] = {
      {"as it is listed", R"({"query":"SELECT 1"})", Reason::none, ""},
      {"as the server reads it", R"({"sql":"SELECT 1"})", Reason::none, ""},
      {"another statement", R"({"query":"SELECT 2"})", Reason::argument_not_allowed, "/sql"},
      {"another statement, as the server reads it", R"({"sql":"SELECT 2"})",
       Reason::argument_not_allowed, "/sql"},
      {"both names", R"({"query":"SELECT 1","sql":"SELECT 1"})", Reason::arguments_invalid,
       "/query"},
      {"both names, where the one is nothing", R"({"query":null,"sql":"SELECT 1"})",
       Reason::arguments_invalid, "/query"},
      {"neither", R"({"limit":1})", Reason::arguments_invalid, ""},
      {"another type", R"({"query":1})", Reason::arguments_invalid, "/sql"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Decision decision = decision_on(row.arguments);
    EXPECT_EQ(decision.reason, row.reason);
    EXPECT_EQ(decision.pointer, row.pointer);
  }
}

}  // namespace
}  // namespace bartizan
