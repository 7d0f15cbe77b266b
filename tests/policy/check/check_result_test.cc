#include "policy/check/check_result.h"

#include <gtest/gtest.h>

#include <string_view>

#include "policy/check/compile_policy.h"
#include "policy/check/list_filter.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

TEST(CheckResult, CountsBothCopiesApart) {
  const struct {
    std::string_view name;
    ResultLimits limits;
    std::string_view result;
    std::string_view want;  ///< `POINTER KEYWORD` of the refusal.
  } rows[] = {
      {"no limits", {}, R"({"content":[{"type":"text","text":"abc"}]})", ""},
      {"nothing there", {.bytes = 4, .elements = 1, .lines = 1}, R"({"isError":true})", ""},
      {"as many bytes as may be",
       {.bytes = 15},
       R"({"content":[{"type":"text","text":"abc"}]})",
       ""},
      {"one more",
       {.bytes = 14},
       R"({"content":[{"type":"text","text":"abc"}]})",
       "/content max_result"},
      {"escapes count as what they stand for",
       {.bytes = 15},
       R"({"content":[{"type":"text","text":"\u0061\n\u0063"}]})",
       ""},
      {"media count as what they encode",
       {.bytes = 20},
       R"({"content":[{"type":"image","data":"AAAAAAA="}]})",
       ""},
      {"and no less",
       {.bytes = 17},
       R"({"content":[{"type":"image","data":"AAAAAAA="}]})",
       "/content max_result"},
      {"padding alone hides nothing",
       {.bytes = 16},
       R"({"content":[{"type":"image","data":"========"}]})",
       "/content max_result"},
      {"what is called data elsewhere is text",
       {.bytes = 11},
       R"({"structuredContent":{"data":"AAAAAAA="}})",
       "/structuredContent max_result"},
      {"a blob in a resource",
       {.bytes = 41},
       R"({"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AAAAAAA="}}]})",
       ""},
      {"names count",
       {.bytes = 10},
       R"({"structuredContent":{"abcdefgh":1,"i":null}})",
       "/structuredContent max_result"},
      {"what is neither copy", {.bytes = 10}, R"({"_meta":{"a":"bcdefghij"}})", " max_result"},
      {"little beside the copies", {.bytes = 20}, R"({"_meta":{"a":"bcdefghij"}})", ""},
      {"each copy has the whole of it",
       {.bytes = 15},
       R"({"content":[{"type":"text","text":"abc"}],"structuredContent":{"abc":"defghijkl"}})",
       ""},
      {"as many blocks as may be", {.blocks = 1}, R"({"content":[{}]})", ""},
      {"one block more", {.blocks = 1}, R"({"content":[{},{}]})", "/content max_blocks"},
      {"elements are no blocks", {.blocks = 1}, R"({"structuredContent":{"a":[1,2]}})", ""},
      {"as deep as may be", {.depth = 2}, R"({"structuredContent":{"a":[1]}})", ""},
      {"one level more",
       {.depth = 2},
       R"({"structuredContent":{"a":[{}]}})",
       "/structuredContent max_depth"},
      {"blocks are as deep as they are", {.depth = 1}, R"({"content":[{"a":{"b":{}}}]})", ""},
      {"as many elements as may be",
       {.elements = 3},
       R"({"structuredContent":{"a":[1,2],"b":["x"]}})",
       ""},
      {"one more in another array",
       {.elements = 3},
       R"({"structuredContent":{"a":[1,2],"b":["x","y"]}})",
       "/structuredContent max_entries"},
      {"a table counts as its cells",
       {.elements = 3},
       R"({"structuredContent":{"rows":[[1,2],[3,4]]}})",
       "/structuredContent max_entries"},
      {"an empty element is one",
       {.elements = 3},
       R"({"structuredContent":{"rows":[[],{},null,""]}})",
       "/structuredContent max_entries"},
      {"blocks are elements",
       {.elements = 1},
       R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})",
       "/content max_entries"},
      {"texts are no elements",
       {.elements = 1},
       R"({"content":[{"type":"text","text":"a\nb\nc"}]})",
       ""},
      {"unless their lines are",
       {.lines = 5},
       R"({"content":[{"type":"text","text":"a\nb\n\nc\nd\ne"}]})",
       "/content max_entries"},
      {"as many lines as may be",
       {.lines = 3},
       R"({"content":[{"type":"text","text":"a\nb\nc\n"}]})",
       ""},
      {"lines in the other copy",
       {.lines = 2},
       R"({"content":[],"structuredContent":{"content":"a\nb\nc"}})",
       "/structuredContent max_entries"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes(row.result);
    JsonDocument document;
    const Decision decision = check_result(row.limits, document.read(bytes).value());
    EXPECT_EQ(decision.reason, row.want.empty() ? Reason::none : Reason::result_too_large);
    std::string got;
    for (const SchemaViolation& violation : decision.violations)
      got += violation.pointer + " " + violation.keyword;
    EXPECT_EQ(got, row.want);
  }
}

TEST(CheckError, CountsItsBytesOnly) {
  const struct {
    std::string_view name;
    ResultLimits limits;
    std::string_view error;
    Reason want;
  } rows[] = {
      {"no limit", {}, R"({"code":1,"message":"abcdefghij"})", Reason::none},
      {"small enough", {.bytes = 40}, R"({"code":1,"message":"abcdefghij"})", Reason::none},
      {"small enough once decoded",
       {.bytes = 30},
       R"({"code":1,"message":"\u0061\u0061"})",
       Reason::none},
      {"too long a message",
       {.bytes = 20},
       R"({"code":1,"message":"abcdefghij"})",
       Reason::result_too_large},
      {"too much data",
       {.bytes = 20},
       R"({"code":1,"message":"","data":["abcdefghij"]})",
       Reason::result_too_large},
      {"entries are a result's",
       {.elements = 1},
       R"({"code":1,"message":"","data":[1,2,3]})",
       Reason::none},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes bytes(row.error);
    JsonDocument document;
    EXPECT_EQ(check_error(row.limits, document.read(bytes).value()).reason, row.want);
  }
}

Config with_profiles() {
  Config config = sample_config();
  add_rule(config, sample_rule("all", Effect::permit, {"*"}, {"*/*"}));
  config.servers["files"].trust = Trust::verified;
  config.tools = {{.pattern = "files/*",
                   .categories = {"files", "read"},
                   .risk = Risk::low,
                   .max_result = 100,
                   .max_entries = 7},
                  {.pattern = "files/write",
                   .categories = {"change"},
                   .risk = Risk::high,
                   .listed = false,
                   .max_result = 200,
                   .max_entries = 5},
                  {.pattern = "*/write", .max_entries = 9, .entries = ToolProfile::Entries::lines}};
  return config;
}

TEST(ToolProfiles, AddUpToTheStrictest) {
  const ToolProfiles profiles(with_profiles(), sample_names());
  for (const std::string_view tool : {"write", "read_text"}) {
    const auto found = profiles.find("files", tool);
    const bool is_write = tool == "write";
    EXPECT_EQ(found->risk, is_write ? Risk::high : Risk::low);
    EXPECT_EQ(found->is_listed, !is_write);
    EXPECT_EQ(found->categories.size(), is_write ? 3U : 2U);
    EXPECT_EQ(found->result.bytes, 100U);
    EXPECT_EQ(found->result.elements, is_write ? 5U : 7U);
    EXPECT_EQ(found->result.lines.value_or(0), is_write ? 9U : 0U);
  }
  const auto none = profiles.find("mail", "send");
  EXPECT_FALSE(none->risk.has_value());
  EXPECT_TRUE(none->is_listed);
  EXPECT_FALSE(none->result.bytes.has_value());
}

TEST(ListFilter, AsksForLess) {
  const struct {
    std::string_view params;
    std::string_view refused;  ///< Where it is wrong.
    std::string_view shown;    ///< Of `files/read_text`, `files/write` and `mail/send`.
  } rows[] = {
      {R"({})", "", "yyy"},
      {R"({"category":"files"})", "", "yyn"},
      {R"({"category":"change"})", "", "nyn"},
      {R"({"category":"Change"})", "", "nnn"},
      {R"({"category":""})", "", "nnn"},
      {R"({"trust_level":"untrusted"})", "", "yyy"},
      {R"({"trust_level":"community"})", "", "yyn"},
      {R"({"trust_level":"verified"})", "", "yyn"},
      {R"({"trust_level":"system"})", "", "nnn"},
      {R"({"category":"change","trust_level":"verified"})", "", "nyn"},
      {R"({"category":["files"]})", "/category", ""},
      {R"({"category":null})", "/category", ""},
      {R"({"trust_level":"high"})", "/trust_level", ""},
      {R"({"trust_level":3})", "/trust_level", ""},
  };
  const auto policy = compile_policy(with_profiles(), sample_names());
  for (const auto& row : rows) {
    SCOPED_TRACE(row.params);
    const Bytes bytes(row.params);
    JsonDocument document;
    const auto filter = read_list_filter(document.read(bytes).value());
    ASSERT_EQ(filter.has_value(), row.refused.empty());
    if (!filter.has_value()) {
      EXPECT_EQ(filter.error().reason, Reason::invalid_params);
      EXPECT_EQ(filter.error().violations.at(0).pointer, row.refused);
      continue;
    }
    std::string shown;
    for (const auto& [server, tool] :
         {std::pair("files", "read_text"), std::pair("files", "write"), std::pair("mail", "send")})
      shown += policy->fits(*filter, server, tool) ? 'y' : 'n';
    EXPECT_EQ(shown, row.shown);
  }
}

TEST(Policy, ListsWhatProfilesDoNotKeepBack) {
  const Config config = with_profiles();
  const auto policy = compile_policy(config, sample_names());
  const Principal ann = make_principals(config).at("ann");
  for (const std::string_view name : {"read_text", "write"}) {
    ToolDefinition tool = sample_tool();
    tool.name = name;
    EXPECT_EQ(policy->shows(ann, "files", tool, any_call_at(0, std::nullopt)), name == "read_text");
    EXPECT_TRUE(policy->shows(ann, TargetKind::tool, "files", name, any_call_at(0, std::nullopt)));
  }
}

}  // namespace
}  // namespace bartizan
