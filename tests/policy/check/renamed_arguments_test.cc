#include "policy/check/renamed_arguments.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/check/check_headers.h"
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
  const RenamedArguments other(renames({{"/q/a", "/q/b"}, {"/o", "/q"}}));
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
      {"deep, below the name that is sent", deep, R"({"q":{"p":{"x":1},"a":2}})",
       R"({"q":{"p":{"y":1},"b":2}})"},
      {"deep, both stay", deep, R"({"q":{"p":{"x":1,"y":2}}})", ""},
      {"below both", deep, R"({"o":{"a":1},"q":{"a":2}})", R"({"o":{"b":1},"q":{"b":2}})"},
      {"by the other name of the parent", other, R"({"o":{"a":1}})", R"({"q":{"b":1}})"},
      {"another shape on the way", deep, R"({"o":[{"a":1}]})", R"({"q":[{"a":1}]})"},
      {"names are escaped", odd, R"({"a/b":1})", R"({"\"\\%":1})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(renamed(row.names, row.arguments), row.want);
  }
}

TEST(RenamedArguments, AreGoneBelowTheNamesThatTheServerReads) {
  const RenamedArguments names(renames({{"/a/x", "/a/y"}, {"/a", "/b"}, {"/m~1n", "/c"}}));
  EXPECT_EQ(names.gone(), (std::vector<std::string>{"/a", "/m~1n", "/b/x"}));
  EXPECT_EQ(names.sent(), (std::vector<std::string>{"/b", "/c", "/b/y"}));
  const struct {
    std::string_view name, arguments, both;  ///< Empty for nothing.
  } rows[] = {
      {"as they are sent", R"({"b":{"y":1},"c":2})", ""},
      {"a listed name", R"({"a":1,"b":{}})", "/a"},
      {"an escaped name", R"({"m/n":1})", "/m~1n"},
      {"a name below", R"({"b":{"x":1,"y":1}})", "/b/x"},
      {"another shape", R"({"b":[{"x":1}]})", ""},
  };
  for (const auto& row : rows) {
    const auto sample = sample_tool_call("files", "read_text", row.arguments);
    const std::string* both = names.find_both(sample->call.message.arguments);
    EXPECT_EQ(both == nullptr ? "" : *both, row.both) << row.name;
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

TEST(RenamedArguments, DoNotFitASchemaThatNamesOneElsewhere) {
  constexpr std::string_view kElsewhere =
      R"({"name":"t","inputSchema":{"type":"object","allOf":[{"$ref":"#/$defs/q"}],)"
      R"("$defs":{"q":{"properties":{"query":{}}}}}})";
  const RenamedArguments names(renames({{"/query", "/sql"}}));
  EXPECT_EQ(renamed_tool(listed(kElsewhere), names), nullptr);
}

// A header repeats the argument under whichever name the client sent.
TEST(RenamedArguments, AreRepeatedByHeadersUnderEitherName) {
  constexpr std::string_view kDeep =
      R"({"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"object",)"
      R"("properties":{"x":{"type":"string","x-mcp-header":"X"}}},)"
      R"("n":{"type":"string","x-mcp-header":"N"}}}})";
  const auto tool =
      renamed_tool(listed(kDeep), RenamedArguments(renames({{"/a", "/b"}, {"/a/x", "/a/y"}})));
  ASSERT_NE(tool, nullptr);
  ASSERT_EQ(tool->mirrored.size(), 2U);
  const struct {
    std::string_view name, arguments, x;  ///< Of the header; empty for none.
    Reason reason;
  } rows[] = {
      {"as it is listed", R"({"a":{"x":"1"}})", "1", Reason::none},
      {"as the server reads it", R"({"b":{"y":"1"}})", "1", Reason::none},
      {"the parent as it is listed", R"({"a":{"y":"1"}})", "1", Reason::none},
      {"the parent as the server reads it", R"({"b":{"x":"1"}})", "1", Reason::none},
      {"another value", R"({"b":{"y":"1"}})", "2", Reason::header_mismatch},
      {"no header", R"({"b":{"y":"1"}})", "", Reason::header_mismatch},
      {"no header, as it is listed", R"({"a":{"x":"1"}})", "", Reason::header_mismatch},
      {"no argument", R"({"b":{}})", "1", Reason::header_mismatch},
      {"neither", "{}", "", Reason::none},
      {"another place", R"({"x":"1"})", "1", Reason::header_mismatch},
  };
  for (const auto& row : rows) {
    const auto sample = sample_tool_call("files", "read_text", row.arguments);
    MirroredHeaders headers;
    if (!row.x.empty()) headers.params = {{"X", row.x}};
    sample->call.era = Era::modern;
    sample->call.headers = &headers;
    sample->call.facts.tool = tool.get();
    EXPECT_EQ(check_mirrored_arguments(sample->call).reason, row.reason) << row.name;
  }
}

/// What policy says of a call of the tool above, of which analysts may read one table.
Decision decision_on(std::string_view arguments, std::string_view entry = kListed,
                     PolicySettings settings = {}) {
  Config config = sample_config();
  config.policy = settings;
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

TEST(RenamedArguments, AreRefusedUnderBothNamesWhilePolicyObserves) {
  constexpr std::string_view kOpen =
      R"({"name":"query_osquery","inputSchema":{"type":"object","properties":{"query":{}}}})";
  const PolicySettings observing{.mode = PolicySettings::Mode::observe, .until = 1};
  const Decision decision =
      decision_on(R"({"query":"SELECT 1","sql":"SELECT 2"})", kOpen, observing);
  EXPECT_EQ(decision.reason, Reason::argument_not_absent);
  EXPECT_EQ(decision.pointer, "/query");
  EXPECT_EQ(decision_on(R"({"query":"SELECT 2"})", kOpen, observing).reason, Reason::none);
}

TEST(RenamedArguments, AreRefusedBelowEitherNameOfTheirParent) {
  Config config = sample_config();
  ToolProfile profile{.pattern = "files/read_text"};
  profile.renames = renames({{"/a", "/b"}, {"/a/x", "/a/y"}});
  config.tools = {profile};
  add_rule(config, sample_rule("analysts", Effect::permit, {"analyst"}, {"files/*"}));
  const auto policy = compile_policy(config, {});
  const ToolDefinition tool = listed(R"({"name":"read_text","inputSchema":{"type":"object"}})");
  const struct {
    std::string_view arguments;
    Reason reason;
  } rows[] = {
      {R"({"a":{"x":"1"}})", Reason::none},
      {R"({"b":{"x":"1"}})", Reason::none},
      {R"({"b":{"y":"1"}})", Reason::none},
      {R"({"b":{"x":"1","y":"2"}})", Reason::argument_not_absent},
      {R"({"a":{"x":"1","y":"2"}})", Reason::argument_not_absent},
      {R"({"a":{"x":"1"},"b":{"y":"2"}})", Reason::argument_not_absent},
  };
  for (const auto& row : rows) {
    DescribedCall described;
    described.principal = "ann";
    described.target_kind = TargetKind::tool;
    described.method = "tools/call";
    described.server = "files";
    described.target = "read_text";
    described.arguments = row.arguments;
    const auto made = CaseCall::make(described, *policy, &tool, 0);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(answer_of(policy->judge((*made)->call())).decision.reason, row.reason)
        << row.arguments;
  }
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
