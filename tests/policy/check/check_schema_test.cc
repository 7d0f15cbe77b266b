#include "policy/check/check_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "policy/check/check_existence.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using AdditionalProperties = ToolProfile::AdditionalProperties;
using Formats = ToolProfile::Formats;
using Patterns = ToolProfile::UntranslatablePatterns;

/// A profile of `files/read_text`, the tool of `sample_tool`.
ToolProfile profile_with(std::string overlay = {}) {
  ToolProfile profile;
  profile.pattern = "files/read_text";
  profile.schema = std::move(overlay);
  return profile;
}

std::vector<std::string> texts_of(const Decision& decision) {
  std::vector<std::string> texts;
  for (const SchemaViolation& one : decision.violations)
    texts.push_back(one.pointer + " " + one.keyword);
  return texts;
}

struct Row {
  std::string schema, arguments;
  Reason reason = Reason::none;
  std::vector<std::string> violations = {};
  std::vector<ToolProfile> profiles = {};
};

/// Both ways in which profiles are found: known names, and patterns.
void expect(const Row& row) {
  const ToolDefinition tool = sample_tool(row.schema);
  Config config = sample_config();
  config.tools = row.profiles;
  for (const KnownNames& names : {sample_names(), KnownNames()}) {
    const ToolProfiles profiles(config, names);
    const auto sample = sample_tool_call("files", "read_text", row.arguments);
    sample->call.facts.tool = &tool;
    const Decision decision = CheckSchema(profiles)(sample->call);
    EXPECT_EQ(decision.reason, row.reason) << row.schema << " and " << row.arguments;
    EXPECT_EQ(texts_of(decision), row.violations) << row.schema << " and " << row.arguments;
    EXPECT_EQ(decision.denies(), row.reason != Reason::none);
  }
}

TEST(CheckSchema, HoldsArgumentsAgainstTheServersSchema) {
  const std::string schema =
      R"({"type":"object","properties":{"path":{"type":"string"},"head":{"minimum":1}},)"
      R"("required":["path"]})";
  expect({schema, R"({"path":"a"})"});
  expect({schema, R"({"path":"a","head":1,"more":true})"});
  expect({schema, R"({"path":1})", Reason::arguments_invalid, {"/path type"}});
  expect({schema, R"({"path":"a","head":0})", Reason::arguments_invalid, {"/head minimum"}});
  expect({schema,
          R"({"path":1,"head":0})",
          Reason::arguments_invalid,
          {"/path type", "/head minimum"}});
  // Absent is `{}`, no more and no less.
  expect({schema, "{}", Reason::arguments_invalid, {" required"}});
  expect({schema, "", Reason::arguments_invalid, {" required"}});
  expect({R"({"type":"object"})", ""});
  expect({R"({"type":"object","maxProperties":0})", ""});
}

TEST(CheckSchema, AddsTheOperatorsSchemas) {
  const std::string schema = R"({"type":"object","properties":{"path":{"type":"string"}}})";
  const std::vector<ToolProfile> one = {profile_with(R"({"properties":{"path":{"maxLength":2}}})")};
  expect({schema, R"({"path":"ab"})", Reason::none, {}, one});
  expect({schema, R"({"path":"abc"})", Reason::argument_refused, {"/path maxLength"}, one});
  // The server's own holds too, and is told first.
  expect({schema, R"({"path":1})", Reason::arguments_invalid, {"/path type"}, one});
  // Every profile that matches counts, whichever way it was found.
  ToolProfile wide = profile_with(R"({"required":["path"]})");
  wide.pattern = "files/*";
  expect({schema, "{}", Reason::argument_refused, {" required"}, {one.front(), wide}});
  ToolProfile other = profile_with("false");
  other.pattern = "files/write";
  expect({schema, "{}", Reason::none, {}, {other}});
  // What the operator writes is meant, formats too.
  expect({schema,
          R"({"path":"x"})",
          Reason::argument_refused,
          {"/path format"},
          {profile_with(R"({"properties":{"path":{"format":"uuid"}}})")}});
}

TEST(CheckSchema, RefusesMembersThatTheSchemaDoesNotNameWhereItShould) {
  const std::string schema = R"({"type":"object","properties":{"path":{"type":"string"}}})";
  ToolProfile strict = profile_with();
  strict.additional_properties = AdditionalProperties::refuse;
  expect({schema, R"({"path":"a"})", Reason::none, {}, {strict}});
  expect({schema,
          R"({"path":"a","b":1})",
          Reason::arguments_invalid,
          {"/b additionalProperties"},
          {strict}});
  // What the schema says by itself still holds, also where a closed object would let a `not` pass.
  expect({R"({"properties":{"o":{"properties":{"a":{},"b":{}}}},"not":{"properties":{"o":{)"
          R"("properties":{"a":{"const":1}}}}}})",
          R"({"o":{"a":1,"b":2}})",
          Reason::arguments_invalid,
          {" not"},
          {strict}});
  // One profile that says so is enough.
  expect({schema,
          R"({"b":1})",
          Reason::arguments_invalid,
          {"/b additionalProperties"},
          {profile_with(), strict}});
  expect({schema, R"({"b":1})", Reason::none, {}, {profile_with()}});
}

TEST(CheckSchema, AssertsFormatsWhereItShould) {
  const std::string schema =
      R"({"type":"object","properties":{"path":{"type":"string","format":"uuid"}}})";
  ToolProfile strict = profile_with();
  strict.formats = Formats::assert_them;
  expect({schema, R"({"path":"x"})"});
  expect({schema, R"({"path":"x"})", Reason::arguments_invalid, {"/path format"}, {strict}});
  expect(
      {schema, R"({"path":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"})", Reason::none, {}, {strict}});
}

TEST(CheckSchema, RefusesNamesThatJavaScriptTakesForItsOwn) {
  const std::string open = R"({"type":"object"})";
  for (const std::string_view name : {"__proto__", "constructor", "prototype"}) {
    const std::string member = "\"" + std::string(name) + "\"";
    const std::string pointer = "/" + std::string(name) + " propertyNames";
    expect({open, "{" + member + ":{}}", Reason::reserved_member, {pointer}});
    expect({open, R"({"a":[{)" + member + ":1}]}", Reason::reserved_member, {"/a/0" + pointer}});
    // A schema that names it knows what comes.
    expect({R"({"type":"object","properties":{)" + member + ":true}}", "{" + member + ":1}"});
    // Naming it elsewhere is not naming it here.
    expect({R"({"type":"object","properties":{"a":true,)" + member + ":true}}",
            R"({"a":{)" + member + ":1}}",
            Reason::reserved_member,
            {"/a" + pointer}});
  }
  expect({open, R"({"proto":1,"Constructor":1,"__proto":1})"});
  // An escaped name is the same name.
  expect({open, R"({"\u005f_proto__":1})", Reason::reserved_member, {"/__proto__ propertyNames"}});
  // So many that each would be looked up: no.
  std::string many;
  for (int i = 0; i < 70; ++i)
    many += (i == 0 ? "" : ",") + std::string(R"({"prototype":1})");
  expect({R"({"type":"object","properties":{"a":{"items":{"properties":{"prototype":true}}}}})",
          R"({"a":[)" + many + "]}",
          Reason::reserved_member,
          {"/a/0/prototype propertyNames"}});
}

TEST(CheckSchema, RefusesWhatWouldCostTooMuch) {
  const std::string schema =
      R"({"type":"object","$defs":{"n":{"anyOf":[)"
      R"({"properties":{"a":{"$ref":"#/$defs/n"}},"required":["x"]},)"
      R"({"properties":{"a":{"$ref":"#/$defs/n"}},"required":["y"]}]}},"$ref":"#/$defs/n"})";
  std::string value = "1";
  for (int i = 0; i < 40; ++i)
    value = R"({"a":)" + value + "}";
  expect({schema, value, Reason::schema_too_costly});
}

TEST(CheckSchema, JudgesToolsOnly) {
  const ToolProfiles profiles;
  EXPECT_EQ(CheckSchema(profiles)(sample_request("tools/list")->call).reason, Reason::none);
  // A tool without a schema was let through by nobody; were it, it stops here.
  EXPECT_EQ(CheckSchema(profiles)(sample_tool_call("files", "read_text")->call).reason,
            Reason::tool_quarantined);
}

TEST(CheckExistence, QuarantinesToolsWhoseSchemasCannotBeUsed) {
  ToolProfile accepting = profile_with();
  accepting.untranslatable_patterns = Patterns::accept;
  const struct {
    std::string input, output;
    std::vector<ToolProfile> profiles;
    Reason reason;
  } rows[] = {
      {R"({"type":"object"})", "", {}, Reason::none},
      {R"({"type":"object"})", "true", {}, Reason::none},
      {R"({"$ref":"http://example.com/a"})", "", {}, Reason::tool_quarantined},
      {R"({"type":"object"})", R"({"$ref":"#"})", {}, Reason::none},
      {R"({"type":"object"})", R"({"type":7})", {}, Reason::none},
      {R"j({"type":"object"})j", R"j({"pattern":"(?=a)"})j", {}, Reason::none},
      {R"j({"properties":{"a":{"pattern":"(?=a)"}}})j", "", {}, Reason::tool_quarantined},
      {R"j({"properties":{"a":{"pattern":"(?=a)"}}})j", "", {accepting}, Reason::none},
      {R"j({"type":"object"})j", R"j({"pattern":"(?=a)"})j", {accepting}, Reason::none},
      // Nothing else is accepted by that.
      {R"j({"$ref":"#","pattern":"(?=a)"})j", "", {accepting}, Reason::tool_quarantined},
      {R"({"$ref":"http://example.com/a"})", "", {accepting}, Reason::tool_quarantined},
  };
  for (const auto& row : rows) {
    const ToolDefinition tool = sample_tool(row.input, row.output);
    Config config = sample_config();
    config.tools = row.profiles;
    const ToolProfiles profiles(config, sample_names());
    const auto sample = sample_tool_call("files", "read_text");
    sample->call.facts.tool = &tool;
    EXPECT_EQ(check_existence(profiles, sample->call).reason, row.reason) << row.input;
    EXPECT_EQ(is_judgeable(profiles, "files", tool), row.reason == Reason::none) << row.input;
  }
}

TEST(CheckStructuredContent, HoldsResultsAgainstTheOutputSchema) {
  const std::string object = R"({"type":"object","properties":{"n":{"type":"integer"}}})";
  constexpr auto kLegacy = ProtocolVersion::v2025_11_25;
  constexpr auto kModern = ProtocolVersion::v2026_07_28;
  const struct {
    std::string output, result;
    ProtocolVersion version;
    Reason reason;
    std::vector<std::string> violations;
  } rows[] = {
      {"", R"({"structuredContent":1})", kModern, Reason::none, {}},
      {object, R"({"structuredContent":{"n":1}})", kLegacy, Reason::none, {}},
      {object, R"({"structuredContent":{"n":"1"}})", kLegacy, Reason::result_invalid, {"/n type"}},
      {object, R"({"content":[]})", kLegacy, Reason::result_invalid, {" required"}},
      {object, R"({"content":[],"isError":true})", kLegacy, Reason::none, {}},
      {object,
       R"({"structuredContent":{"n":"1"},"isError":true})",
       kLegacy,
       Reason::result_invalid,
       {"/n type"}},
      // Any JSON value since 2026-07-28, an object before.
      {R"({"type":"array"})", R"({"structuredContent":[]})", kModern, Reason::none, {}},
      {R"({"type":"array"})",
       R"({"structuredContent":[]})",
       kLegacy,
       Reason::result_invalid,
       {" type"}},
      {"true", R"({"structuredContent":null})", kModern, Reason::none, {}},
      {"", R"({"structuredContent":null})", kLegacy, Reason::none, {}},
      {"", R"({"structuredContent":null})", kModern, Reason::none, {}},
      {object, R"({"structuredContent":null,"isError":true})", kLegacy, Reason::none, {}},
      {object, R"({"structuredContent":null})", kLegacy, Reason::result_invalid, {" required"}},
      {object, R"({"structuredContent":null})", kModern, Reason::result_invalid, {" type"}},
      // Numbers of many digits fit as they are written and as doubles have them, or not at all.
      {R"({"properties":{"n":{"exclusiveMaximum":1}}})",
       R"({"structuredContent":{"n":0.999999}})",
       kLegacy,
       Reason::none,
       {}},
      {R"({"properties":{"n":{"exclusiveMaximum":1}}})",
       R"({"structuredContent":{"n":0.99999999999999999999}})",
       kLegacy,
       Reason::result_invalid,
       {"/n exclusiveMaximum"}},
      {R"({"properties":{"n":{"maximum":1}}})",
       R"({"structuredContent":{"n":1.00000000000000000001}})",
       kLegacy,
       Reason::result_invalid,
       {"/n maximum"}},
      {R"({"properties":{"n":{"multipleOf":3}}})",
       R"({"structuredContent":{"m":0.5,"n":100000000000000000000002}})",
       kLegacy,
       Reason::result_invalid,
       {"/n multipleOf"}},
      {R"({"properties":{"n":{"multipleOf":2}}})",
       R"({"structuredContent":{"n":100000000000000000000002}})",
       kLegacy,
       Reason::none,
       {}},
      {R"({"properties":{"n":{"type":"number"}}})",
       R"({"structuredContent":{"n":1e400}})",
       kLegacy,
       Reason::none,
       {}},
      // A schema that none can be held against; clients wait for nothing then.
      {R"({"type":7})", R"({"structuredContent":{"n":1}})", kLegacy, Reason::result_unjudged, {}},
      {R"({"type":7})", R"({"content":[]})", kLegacy, Reason::none, {}},
      {R"({"$ref":"http://a.b/c"})",
       R"({"structuredContent":{}})",
       kModern,
       Reason::result_unjudged,
       {}},
  };
  for (const auto& row : rows) {
    const ToolDefinition tool = sample_tool(R"({"type":"object"})", row.output);
    const Bytes bytes(row.result);
    JsonDocument document;
    const Decision decision = check_structured_content(
        tool, {}, row.version, document.read(bytes, kResponseLimits).value());
    EXPECT_EQ(decision.reason, row.reason) << row.output << " and " << row.result;
    EXPECT_EQ(texts_of(decision), row.violations) << row.output << " and " << row.result;
  }
}

}  // namespace
}  // namespace bartizan
