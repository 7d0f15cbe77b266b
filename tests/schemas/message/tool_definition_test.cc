#include "schemas/message/tool_definition.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bartizan {
namespace {

/// A tool whose one property `p` has the given schema members.
std::string with_property(std::string_view members) {
  return R"({"name":"t","inputSchema":{"type":"object","properties":{"p":{)" +
         std::string(members) + "}}}}";
}

std::string with_schema(std::string_view members) {
  return R"({"name":"t","inputSchema":{"type":"object",)" + std::string(members) + "}}";
}

TEST(ToolDefinition, AcceptsAndRefuses) {
  const struct {
    std::string_view name;
    std::string entry;
    bool is_accepted;
    std::string_view detail = {};
  } cases[] = {
      {"the least", R"({"name":"t","inputSchema":{"type":"object"}})", true},
      {"no name", R"({"inputSchema":{"type":"object"}})", false, "tool without a name"},
      {"a name with a slash", R"({"name":"a/b","inputSchema":{"type":"object"}})", true},
      {"an empty name", R"({"name":"","inputSchema":{"type":"object"}})", false,
       "tool without a name"},
      {"a name of another type", R"({"name":7,"inputSchema":{"type":"object"}})", false,
       "tool without a name"},
      {"not an object", R"(["name"])", false, "tool without a name"},
      {"no schema", R"({"name":"t"})", false, "inputSchema is not of type object"},
      {"a schema without type", R"({"name":"t","inputSchema":{}})", false,
       "inputSchema is not of type object"},
      {"a schema of another type", R"({"name":"t","inputSchema":{"type":"array"}})", false,
       "inputSchema is not of type object"},
      {"a schema that is true", R"({"name":"t","inputSchema":true})", false,
       "inputSchema is not of type object"},
      {"all that may stand there",
       R"({"name":"t","inputSchema":{"type":"object"},"title":"T","description":"","annotations":)"
       R"({"title":"T","readOnlyHint":true},"icons":[{"src":"x"}],"execution":{"taskSupport":)"
       R"("optional"},"_meta":{},"more":7})",
       true},
      {"a description that is not a text",
       R"({"name":"t","inputSchema":{"type":"object"},"description":7})", false,
       "a member of another type than the protocol's"},
      {"members that are null",
       R"({"name":"t","inputSchema":{"type":"object"},"title":null,"description":null,"icons":null,)"
       R"("annotations":null,"execution":null,"_meta":null,"outputSchema":null})",
       true},
      {"a hint that is null",
       R"({"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":null}})", true},
      {"a schema that is null", R"({"name":"t","inputSchema":null})", false,
       "inputSchema is not of type object"},
      {"a hint that is not a boolean",
       R"({"name":"t","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}})",
       false, "a member of another type than the protocol's"},
      {"an icon without a source", R"({"name":"t","inputSchema":{"type":"object"},"icons":[{}]})",
       false, "a member of another type than the protocol's"},
      {"a mirrored string", with_property(R"("type":"string","x-mcp-header":"R")"), true},
      {"a mirrored integer", with_property(R"("type":"integer","x-mcp-header":"R")"), true},
      {"a mirrored boolean", with_property(R"("type":"boolean","x-mcp-header":"R")"), true},
      {"a mirrored number", with_property(R"("type":"number","x-mcp-header":"R")"), false,
       "invalid x-mcp-header annotation"},
      {"a mirrored object", with_property(R"("type":"object","x-mcp-header":"R")"), false,
       "invalid x-mcp-header annotation"},
      {"no type", with_property(R"("x-mcp-header":"R")"), false, "invalid x-mcp-header annotation"},
      {"an empty header", with_property(R"("type":"string","x-mcp-header":"")"), false,
       "invalid x-mcp-header annotation"},
      {"a header with a blank", with_property(R"("type":"string","x-mcp-header":"a b")"), false,
       "invalid x-mcp-header annotation"},
      {"a header with a line break", with_property(R"("type":"string","x-mcp-header":"a\r\nb")"),
       false, "invalid x-mcp-header annotation"},
      {"a header with a colon", with_property(R"("type":"string","x-mcp-header":"a:")"), false,
       "invalid x-mcp-header annotation"},
      {"a header that is not a string", with_property(R"("type":"string","x-mcp-header":1)"), false,
       "invalid x-mcp-header annotation"},
      {"two headers but for case",
       with_schema(R"("properties":{"a":{"type":"string","x-mcp-header":"Reg"},)"
                   R"("b":{"type":"string","x-mcp-header":"REG"}})"),
       false, "invalid x-mcp-header annotation"},
      {"on the root", with_schema(R"("x-mcp-header":"R")"), false,
       "invalid x-mcp-header annotation"},
      {"in items", with_property(R"("items":{"type":"string","x-mcp-header":"R"})"), false,
       "invalid x-mcp-header annotation"},
      {"in a branch", with_schema(R"("anyOf":[{"type":"string","x-mcp-header":"R"}])"), false,
       "invalid x-mcp-header annotation"},
      {"in properties of a branch",
       with_schema(R"("allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"R"}}}])"), false,
       "invalid x-mcp-header annotation"},
      {"in a definition", with_schema(R"("$defs":{"d":{"type":"string","x-mcp-header":"R"}})"),
       false, "invalid x-mcp-header annotation"},
      {"a property of that name", with_schema(R"("properties":{"x-mcp-header":{"type":"string"}})"),
       true},
      {"in data", with_property(R"("type":"object","default":{"x-mcp-header":""})"), true},
  };
  JsonDocument document;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Bytes bytes(c.entry);
    const Result<ToolDefinition> tool = read_tool_definition(document.read(bytes).value());
    ASSERT_EQ(tool.has_value(), c.is_accepted);
    if (tool) continue;
    EXPECT_EQ(tool.error().code, ErrorCode::invalid_params);
    EXPECT_EQ(tool.error().fault, Fault::server);
    EXPECT_EQ(tool.error().detail, c.detail);
  }
}

TEST(ToolDefinition, TellsAnOutputThatLegacyClientsDoNotRead) {
  for (const std::string_view output :
       {R"({"type":"array"})", "true", "{}", R"({"type":"object"})", "null"}) {
    const Bytes bytes(R"({"name":"t","inputSchema":{"type":"object"},"outputSchema":)" +
                      std::string(output) + "}");
    JsonDocument document;
    const JsonValue entry = document.read(bytes).value();
    const bool is_odd = output != R"({"type":"object"})" && output != "null";
    EXPECT_EQ(read_tool_definition(entry, Era::legacy)->has_odd_output, is_odd) << output;
    EXPECT_FALSE(read_tool_definition(entry, Era::modern)->has_odd_output) << output;
  }
}

TEST(ToolDefinition, TellsWhetherMembersAreNull) {
  const struct {
    std::string_view more;
    bool has_nulls;
  } rows[] = {
      {"", false},
      {R"(,"title":null)", true},
      {R"(,"outputSchema":null)", true},
      {R"(,"annotations":{"openWorldHint":null})", true},
      {R"(,"annotations":{"mine":null},"_meta":{"a":null},"more":null)", false},
  };
  for (const auto& row : rows) {
    const Bytes bytes(R"({"name":"t","inputSchema":{"type":"object"})" + std::string(row.more) +
                      "}");
    JsonDocument document;
    const auto tool = read_tool_definition(document.read(bytes).value());
    ASSERT_TRUE(tool.has_value()) << row.more;
    EXPECT_EQ(tool->has_nulls, row.has_nulls) << row.more;
  }
}

TEST(ToolName, IsAnAliasWherePolicyCouldNotSayIt) {
  const struct {
    std::string_view own, name;
  } rows[] = {
      {"read_file", "read_file"},          {"", ""},
      {"read file", "read_file_1214148e"}, {"fs/read", "fs_read_96379919"},
      {"fs:read", "fs_read_e97cadf1"},     {"读取", "___534cb3fa"},
      {"lösche", "l_sche_61efd8d4"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(tool_name(row.own), row.name);
  const std::string long_name(200, 'x');
  EXPECT_TRUE(tool_name(long_name).starts_with(std::string(100, 'x') + "_"));
  EXPECT_TRUE(is_tool_name(tool_name(long_name)));
  EXPECT_NE(tool_name(long_name), tool_name(long_name + "x"));
  const Bytes bytes(R"({"name":"fs/read","inputSchema":{"type":"object"}})");
  JsonDocument document;
  const auto tool = read_tool_definition(document.read(bytes).value());
  ASSERT_TRUE(tool.has_value());
  EXPECT_EQ(tool->own_name, "fs/read");
  EXPECT_EQ(tool->name, tool_name("fs/read"));
}

TEST(ToolDefinition, KeepsWhatTheServerSent) {
  const Bytes bytes(
      R"({"tools":[ {"title":"T", "name" : "read\u005ffile","inputSchema":{"type":"object",)"
      R"("properties":{"where":{"type":"object","properties":{"a/b":{"type":"string",)"
      R"("x-mcp-header":"Region"}}}}}} ]})");
  JsonDocument document;
  const JsonValue entry = document.read(bytes).value().at_pointer("/tools/0");
  const ToolDefinition tool = read_tool_definition(entry).value();
  EXPECT_EQ(tool.name, "read_file");
  EXPECT_EQ(tool.raw, entry.raw());
  EXPECT_EQ(tool.name_range.of(tool.raw), R"("read\u005ffile")");
  ASSERT_EQ(tool.mirrored.size(), 1U);
  EXPECT_EQ(tool.mirrored[0].header, "Region");
  EXPECT_EQ(tool.mirrored[0].pointer, "/where/a~1b");
}

ToolDefinition read_entry(std::string_view entry,
                          std::span<const std::string> volatile_members = {}) {
  const Bytes bytes(entry);
  JsonDocument document;
  return read_tool_definition(document.read(bytes).value(), Era::modern, volatile_members).value();
}

std::string tool_and(std::string_view member) {
  return R"({"name":"t","inputSchema":{"type":"object"})" + std::string(member) + "}";
}

TEST(ToolDefinition, HasAFingerprintOfAllThatReachesAClient) {
  const ToolDefinition original = read_entry(tool_and(""));
  // Of `{"inputSchema":{"type":"object"},"name":"t"}`, by another SHA-256.
  EXPECT_EQ(original.fingerprint,
            "c6005ee7854db532c5afa7ec72ecc502c63014ac9fe51e0b422daf578ebd3e0a");
  EXPECT_EQ(original.fingerprint_v1, original.fingerprint);
  const struct {
    std::string_view name;
    std::string entry;
    bool is_same, is_same_v1;
  } cases[] = {
      {"written otherwise", R"({ "inputSchema":{"type":"obj\u0065ct"}, "name":"t" })", true, true},
      {"another name", R"({"name":"u","inputSchema":{"type":"object"}})", false, false},
      {"another schema", R"({"name":"t","inputSchema":{"type":"object","a":1}})", false, false},
      {"a description", tool_and(R"(,"description":"")"), false, false},
      {"a title", tool_and(R"(,"title":"")"), false, false},
      {"an output", tool_and(R"(,"outputSchema":{})"), false, false},
      {"annotations", tool_and(R"(,"annotations":{})"), false, false},
      {"a description in another case", tool_and(R"(,"Description":"x")"), false, true},
      {"a member that no revision knows", tool_and(R"(,"instructions":"x")"), false, true},
      {"a member of a member", tool_and(R"(,"_meta":{"a":{"b":1}})"), false, true},
      {"icons", tool_and(R"(,"icons":[])"), false, true},
      {"tasks", tool_and(R"(,"execution":{"taskSupport":"forbidden"})"), false, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const ToolDefinition tool = read_entry(c.entry);
    EXPECT_EQ(tool.fingerprint == original.fingerprint, c.is_same);
    EXPECT_EQ(tool.fingerprint_v1 == original.fingerprint_v1, c.is_same_v1);
  }
}

TEST(ToolDefinition, HasAFingerprintWithoutWhatMayChange) {
  const std::vector<std::string> members{"/_meta/build", "/icons"};
  const ToolDefinition original =
      read_entry(tool_and(R"(,"_meta":{"build":1,"a":1},"icons":[])"), members);
  const struct {
    std::string_view name;
    std::string entry;
    bool is_same;
  } cases[] = {
      {"another build", tool_and(R"(,"_meta":{"a":1,"build":{"x":[2]}},"icons":[])"), true},
      {"no build", tool_and(R"(,"_meta":{"a":1},"icons":[])"), true},
      {"other icons", tool_and(R"(,"_meta":{"build":1,"a":1},"icons":[{"src":"x"}])"), true},
      {"no icons", tool_and(R"(,"_meta":{"build":1,"a":1})"), true},
      {"a build elsewhere", tool_and(R"(,"_meta":{"a":1},"build":2)"), false},
      {"a build in another case", tool_and(R"(,"_meta":{"a":1,"Build":2})"), false},
      {"what stands beside it", tool_and(R"(,"_meta":{"build":1,"a":2})"), false},
      {"nothing beside it", tool_and(R"(,"_meta":{"build":1})"), false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read_entry(c.entry, members).fingerprint == original.fingerprint, c.is_same);
  }
  // Version 1 of the lock file knew of no exceptions.
  const std::vector<std::string> title{"/title"};
  EXPECT_EQ(read_entry(tool_and(R"(,"title":"a")"), title).fingerprint,
            read_entry(tool_and(R"(,"title":"b")"), title).fingerprint);
  EXPECT_NE(read_entry(tool_and(R"(,"title":"a")"), title).fingerprint_v1,
            read_entry(tool_and(R"(,"title":"b")"), title).fingerprint_v1);
}

TEST(ToolName, IsPlain) {
  const struct {
    std::string name;
    bool is_usable;
  } cases[] = {
      {"a", true},
      {"read_file", true},
      {"A-b.c_9", true},
      {std::string(128, 'a'), true},
      {std::string(129, 'a'), false},
      {"", false},
      {"a/b", false},
      {"a b", false},
      {"a\n", false},
      {std::string("a\0", 2), false},
      {"caf\xC3\xA9", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(is_tool_name(c.name), c.is_usable) << c.name;
}

}  // namespace
}  // namespace bartizan
