#include "schemas/schema/json_schema.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

SchemaResult<JsonSchema> compile(std::string_view text, const SchemaOptions& options = {}) {
  return JsonSchema::compile(text, metaschemas(), options);
}

SchemaVerdict judge(std::string_view schema, const std::string& value,
                    const ValidationOptions& options = {}) {
  const auto compiled = compile(schema);
  EXPECT_TRUE(compiled.has_value()) << schema;
  const Bytes bytes(value);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  EXPECT_TRUE(root.has_value()) << value;
  return compiled->judge(*root, options);
}

std::string repeated(std::string_view front, std::size_t count, std::string_view middle,
                     std::string_view back) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += front;
  text += middle;
  for (std::size_t i = 0; i < count; ++i)
    text += back;
  return text;
}

struct Flawed {
  std::string schema;
  SchemaFlaw flaw;
  std::string pointer;
};

TEST(JsonSchemaTest, RefusesWhatCannotBeUsedAndNamesThePlace) {
  const std::vector<Flawed> rows = {
      {"{", SchemaFlaw::not_json, ""},
      {R"(["type"])", SchemaFlaw::invalid_keyword, ""},
      {R"({"type":"strin"})", SchemaFlaw::invalid_keyword, "/type"},
      {R"({"type":[1]})", SchemaFlaw::invalid_keyword, "/type/0"},
      {R"({"properties":{"a":{"minimum":"1"}}})", SchemaFlaw::invalid_keyword,
       "/properties/a/minimum"},
      {R"({"properties":{"a/b~":{"maxLength":-1}}})", SchemaFlaw::invalid_keyword,
       "/properties/a~1b~0/maxLength"},
      {R"({"minItems":1.5})", SchemaFlaw::invalid_keyword, "/minItems"},
      // What only the metaschema knows of.
      {R"({"title":1})", SchemaFlaw::invalid_keyword, "/title"},
      {R"({"properties":{"a":{"then":1}}})", SchemaFlaw::invalid_keyword, "/properties/a/then"},
      {R"({"$defs":{"a":{"minContains":"1"}}})", SchemaFlaw::invalid_keyword,
       "/$defs/a/minContains"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","required":["a","a"]})",
       SchemaFlaw::invalid_keyword, "/required"},
      {R"({"$defs":{"a":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#"}}})",
       SchemaFlaw::unknown_dialect, ""},
      {R"({"multipleOf":0})", SchemaFlaw::invalid_keyword, "/multipleOf"},
      {R"({"required":"a"})", SchemaFlaw::invalid_keyword, "/required"},
      {R"({"enum":1})", SchemaFlaw::invalid_keyword, "/enum"},
      {R"({"allOf":[]})", SchemaFlaw::invalid_keyword, "/allOf"},
      {R"({"not":1})", SchemaFlaw::invalid_keyword, "/not"},
      {R"({"$schema":"http://json-schema.org/draft-03/schema#"})", SchemaFlaw::unknown_dialect,
       "/$schema"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/meta/core"})",
       SchemaFlaw::unknown_dialect, "/$schema"},
      {R"({"$schema":"https://example.com/mine"})", SchemaFlaw::unknown_dialect, "/$schema"},
      // A name that two have, whoever is meant.
      {R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x","not":{}}}})", SchemaFlaw::invalid_keyword,
       "/$defs/a/$id"},
      {R"({"$id":"http://a.b/x","$defs":{"a":{"$id":"x"}}})", SchemaFlaw::invalid_keyword,
       "/$defs/a/$id"},
      {R"({"$defs":{"a":{"$anchor":"x"},"b":{"$dynamicAnchor":"x"}}})", SchemaFlaw::invalid_keyword,
       "/$defs/a"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$id":"#x"},)"
       R"("b":{"$id":"#x","not":{}}}})",
       SchemaFlaw::invalid_keyword, "/definitions/a"},
      {R"({"$ref":"http://example.com/other.json"})", SchemaFlaw::external_reference, "/$ref"},
      {R"({"$ref":"other.json"})", SchemaFlaw::external_reference, "/$ref"},
      {R"({"$ref":"file:///etc/passwd"})", SchemaFlaw::external_reference, "/$ref"},
      {R"({"items":{"$ref":"#/$defs/a"}})", SchemaFlaw::unresolved_reference, "/items/$ref"},
      {R"({"$ref":"#nowhere"})", SchemaFlaw::unresolved_reference, "/$ref"},
      {R"({"$ref":"#"})", SchemaFlaw::endless, ""},
      {R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"})",
       SchemaFlaw::endless, "/$defs/b/anyOf/0"},
      {R"({"properties":{"x":{"allOf":[{"$ref":"#/properties/x"}]}}})", SchemaFlaw::endless,
       "/properties/x/allOf/0"},
      {R"({"not":{"$dynamicRef":"#"}})", SchemaFlaw::endless, "/not"},
      {R"({"items":[{}],"prefixItems":[{}]})", SchemaFlaw::invalid_keyword, "/items"},
      {R"({"items":[7]})", SchemaFlaw::invalid_keyword, "/items/0"},
      {R"({"exclusiveMinimum":"1"})", SchemaFlaw::invalid_keyword, "/exclusiveMinimum"},
      {R"({"required":true})", SchemaFlaw::invalid_keyword, "/required"},
      {R"j({"pattern":"(?=a)"})j", SchemaFlaw::untranslatable_pattern, "/pattern"},
      {R"j({"pattern":"(a)\\1"})j", SchemaFlaw::untranslatable_pattern, "/pattern"},
      {R"j({"patternProperties":{"(":true}})j", SchemaFlaw::untranslatable_pattern,
       "/patternProperties/("},
      {R"({"pattern":"a{10001}"})", SchemaFlaw::too_large, "/pattern"},
  };
  for (const Flawed& row : rows) {
    const auto compiled = compile(row.schema);
    ASSERT_FALSE(compiled.has_value()) << row.schema;
    EXPECT_EQ(text(compiled.error().flaw), text(row.flaw)) << row.schema;
    EXPECT_EQ(compiled.error().pointer, row.pointer) << row.schema;
  }
}

struct Meant {
  std::string schema, value;
  bool is_valid;
  std::string note = {};  ///< Where something was judged as an earlier draft had it.
};

TEST(JsonSchemaTest, JudgesWhatAuthorsOfEarlierDraftsMeant) {
  const std::string d4 = R"("$schema":"http://json-schema.org/draft-04/schema#",)";
  const std::string d6 = R"("$schema":"https://json-schema.org/draft-06/schema",)";
  const std::string d19 = R"("$schema":"http://json-schema.org/draft/2019-09/schema#",)";
  const std::string newest = R"("$schema":"http://json-schema.org/schema#",)";
  const std::vector<Meant> rows = {
      // A bound that is not allowed itself.
      {"{" + d4 + R"("minimum":1,"exclusiveMinimum":true})", "1", false},
      {"{" + d4 + R"("minimum":1,"exclusiveMinimum":true})", "1.5", true},
      {"{" + d4 + R"("minimum":1,"exclusiveMinimum":false})", "1", true},
      {"{" + d4 + R"("maximum":1,"exclusiveMaximum":true})", "1", false},
      {R"({"minimum":1,"exclusiveMinimum":true})", "1", false, "/exclusiveMinimum"},
      {R"({"minimum":1,"exclusiveMinimum":true})", "2", true, "/exclusiveMinimum"},
      {R"({"maximum":1,"exclusiveMaximum":true})", "1", false, "/exclusiveMaximum"},
      {R"({"exclusiveMinimum":true})", "1", true},
      // Names of schemas.
      {"{" + d4 + R"j("definitions":{"a":{"id":"#n","type":"string"}},"items":{"$ref":"#n"}})j",
       R"([1])", false},
      {"{" + d4 + R"j("definitions":{"a":{"id":"#n","type":"string"}},"items":{"$ref":"#n"}})j",
       R"(["a"])", true},
      {"{" + d6 + R"("const":1})", "2", false},
      {"{" + d4 + R"("const":1})", "2", true},
      // Tuples.
      {"{" + d19 + R"("items":[{"type":"string"}],"additionalItems":false})", R"(["a"])", true},
      {"{" + d19 + R"("items":[{"type":"string"}],"additionalItems":false})", R"(["a",1])", false},
      {R"({"items":[{"type":"string"},{"type":"integer"}]})", R"(["a",1,null])", true, "/items"},
      {R"({"items":[{"type":"string"},{"type":"integer"}]})", R"([1,1])", false, "/items"},
      {R"({"items":[{}],"additionalItems":false})", "[1,2]", false, "/items"},
      {R"({"properties":{"a":{"items":[{"type":"string"}],"additionalItems":{"type":"null"}}}})",
       R"({"a":["b",null]})", true, "/properties/a/items"},
      {R"({"items":{"type":"string"},"additionalItems":false})", R"(["a","b"])", true},
      // Dependencies.
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1})", false, "/dependencies"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":1})", true, "/dependencies"},
      {R"({"dependencies":{"a":{"required":["b"]}}})", R"({"a":1})", false, "/dependencies"},
      {R"({"dependencies":{"a":["b"]},"dependentRequired":{"a":["c"]}})", R"({"a":1,"c":1})", true},
      {"{" + d19 + R"("dependencies":{"a":["b"]}})", R"({"a":1})", false, "/dependencies"},
      // A schema that refers to whoever refers to it.
      {"{" + d19 + R"("$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},)" +
           R"("additionalProperties":false})",
       R"({"a":{"a":{"b":1}}})", false},
      {"{" + newest + R"("prefixItems":[{"type":"string"}]})", "[1]", false},
  };
  for (const Meant& row : rows) {
    const auto compiled = compile(row.schema);
    ASSERT_TRUE(compiled.has_value()) << row.schema << ": " << compiled.error().detail;
    const Bytes bytes(row.value);
    JsonDocument document;
    EXPECT_EQ(compiled->accepts(document.read(bytes).value()), row.is_valid)
        << row.schema << " and " << row.value;
    EXPECT_EQ(compiled->notes().empty() ? "" : compiled->notes().front().pointer, row.note)
        << row.schema;
  }
}

TEST(JsonSchemaTest, TakesNoEarlierDraftInASchemaOfOnesOwn) {
  const SchemaOptions own{.unknown = SchemaOptions::Unknown::refuse};
  for (const std::string_view schema :
       {R"({"items":[{}]})", R"({"dependencies":{"a":["b"]}})",
        R"({"minimum":1,"exclusiveMinimum":true})", R"({"items":{},"additionalItems":false})"}) {
    EXPECT_FALSE(JsonSchema::compile(schema, metaschemas(), own).has_value()) << schema;
  }
  EXPECT_TRUE(
      JsonSchema::compile(R"({"$schema":"http://json-schema.org/draft-04/schema#","id":"x:y"})",
                          metaschemas(), own)
          .has_value());
}

TEST(JsonSchemaTest, TakesLookAroundThatIsAConjunction) {
  const std::string email = R"j(^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@)j"
                            R"j(([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$)j";
  const std::string host = R"j(^(?=.{1,20}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)j"
                           R"j((?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$)j";
  const struct {
    std::string pattern;
    std::vector<std::string> held, not_held;
  } rows[] = {
      {email,
       {"a.b+c@ex-ample.co", "a@b.cd"},
       {".a@b.cd", "a..b@c.de", "a@b..cd", "a@b", "a@b.c", ""}},
      {host, {"a.b", "ab-c.example."}, {"-a.b", std::string(25, 'a'), ""}},
      {"^(?=.*[0-9])(?=.*[a-z]).{4,}$", {"abc1", "1aaa"}, {"abcd", "1234", "a1"}},
      {"^/(?!/)[a-z/]*$", {"/a", "/", "/a//b"}, {"//a", "a"}},
      {"^[a-z]{3}(?!-)", {"abc", "abcd"}, {"abc-", "ab"}},
      {"^(?!-)[a-z-]{1,9}(?<!-)$", {"a-b"}, {"-ab", "ab-", ""}},
      {"^(?!(?:con|nul)$)[a-z]+$", {"conx", "a"}, {"con", "nul"}},
      {R"(^\$(?=a)[ab]+$)", {"$ab"}, {"$ba", "a"}},
      {"^[(?!a)](?!b)", {"(a", "?"}, {"(b", "b"}},
  };
  for (const auto& row : rows) {
    std::string text;
    append_json_string(text, row.pattern);
    const auto compiled = compile("{\"pattern\":" + text + "}");
    ASSERT_TRUE(compiled.has_value()) << row.pattern << ": " << compiled.error().detail;
    const auto holds = [&](const std::string& value) {
      std::string json;
      append_json_string(json, value);
      const Bytes bytes(json);
      JsonDocument document;
      return compiled->accepts(document.read(bytes).value());
    };
    for (const std::string& value : row.held)
      EXPECT_TRUE(holds(value)) << row.pattern << " and " << value;
    for (const std::string& value : row.not_held)
      EXPECT_FALSE(holds(value)) << row.pattern << " and " << value;
  }
  // Where its place is not certain, or what it says is more than a language.
  for (const std::string_view pattern :
       {"(?!a)b", "^a*(?=b)", "^(?!a)|b", "^(?=(a+))\\1b", "^(?:(?!a)b)", "^a+(?!b)$", "^(?=a)*b",
        "^(?=b(?!c))", "^a(?<!b)c$", "(?<=a)b", "^a?(?!b)", "^\\u0061(?!b)", "^a{1,2}(?!b)"}) {
    std::string text;
    append_json_string(text, pattern);
    const auto compiled = compile("{\"pattern\":" + text + "}");
    ASSERT_FALSE(compiled.has_value()) << pattern;
    EXPECT_EQ(compiled.error().flaw, SchemaFlaw::untranslatable_pattern) << pattern;
    EXPECT_EQ(compiled.error().detail, "look-around") << pattern;
  }
}

TEST(JsonSchemaTest, HoldsItsBounds) {
  const std::string chain = repeated(R"({"allOf":[)", 80, "true", "]}");
  EXPECT_FALSE(compile(chain).has_value());
  SchemaOptions wide;
  wide.chain_max = 200;
  EXPECT_TRUE(compile(repeated(R"({"allOf":[)", 20, "true", "]}"), wide).has_value());
  const auto flaw_of = [](std::string_view schema, const SchemaOptions& options) {
    const auto compiled = compile(schema, options);
    return compiled.has_value() ? "" : text(compiled.error().flaw);
  };
  EXPECT_EQ(flaw_of(R"({"title":"x"})", {.bytes_max = 10}), "too_large");
  EXPECT_EQ(flaw_of(R"({"anyOf":[true,true,true]})", {.schemas_max = 3}), "too_large");
  EXPECT_EQ(flaw_of(R"({"allOf":[{"allOf":[{"allOf":[{"allOf":[true]}]}]}]})", {.chain_max = 4}),
            "too_deep");
  EXPECT_EQ(flaw_of(R"({"properties":{"abc":{},"def":{}}})", {.program_bytes_max = 400}),
            "too_large");
  EXPECT_EQ(flaw_of(R"({"pattern":"[a-z]{900}"})", {.pattern_bytes_max = 40'000}), "too_large");
}

TEST(JsonSchemaTest, TellsNothingThatItDidNotLookAt) {
  // The first reason is cheap; what follows it spends the budget before the rest is looked at.
  const std::string schema =
      R"({"properties":{"a":{"type":"string"},"b":{"items":{"type":"number"}}},"required":["c"],)"
      R"("anyOf":[{"type":"object"}]})";
  std::string value = R"({"a":1,"b":[0)";
  for (int i = 0; i < 1000; ++i)
    value += ",0";
  value += R"(],"c":1})";
  const SchemaVerdict verdict = judge(schema, value, {.steps_max = 500});
  EXPECT_TRUE(verdict.is_exhausted);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations.front().pointer, "/a");
}

TEST(JsonSchemaTest, TakesCopiesOfOneName) {
  EXPECT_TRUE(judge(R"({"properties":{"a":{"$id":"http://x/p","type":"string"},)"
                    R"("b":{"type":"string","$id":"http://x/p"},"c":{"$ref":"http://x/p"}}})",
                    R"({"c":"x"})")
                  .is_valid);
  EXPECT_TRUE(judge(R"({"$defs":{"a":{"$anchor":"x","type":"string"},)"
                    R"("b":{"$anchor":"x","type":"string"}},"$ref":"#x"})",
                    R"("x")")
                  .is_valid);
  // A relative name of its own is not that of the whole.
  EXPECT_TRUE(judge(R"({"$defs":{"s":{"$id":"schema","type":"string"}},"$ref":"schema"})", R"("x")")
                  .is_valid);
}

TEST(JsonSchemaTest, FollowsReferencesOnlySoFar) {
  // References into something that no keyword knows, each past all that stands before its target.
  const auto schema_with = [](std::size_t members, std::size_t references) {
    std::string schema = R"({"x":{)";
    for (std::size_t i = 0; i < members; ++i)
      schema += "\"" + std::to_string(i) + "\":{},";
    schema += R"("last":{}},"anyOf":[true)";
    for (std::size_t i = 0; i < references; ++i)
      schema += R"(,{"$ref":"#/x/last"})";
    return schema + "]}";
  };
  EXPECT_TRUE(compile(schema_with(1000, 2000)).has_value());
  EXPECT_TRUE(compile(schema_with(8000, 400)).has_value());
  const auto quadratic = compile(schema_with(8000, 4000));
  ASSERT_FALSE(quadratic.has_value());
  EXPECT_EQ(text(quadratic.error().flaw), "too_large");
  EXPECT_EQ(quadratic.error().detail, "its references pass too many values on their way");
}

TEST(JsonSchemaTest, CountsTheScopesOfADynamicReference) {
  // Each resource on the way is asked for the name that only the innermost has.
  std::string defs;
  constexpr int kResources = 50;
  for (int i = 0; i < kResources; ++i) {
    defs += R"("d)" + std::to_string(i) + R"(":{"$id":"d)" + std::to_string(i) +
            R"(","properties":{"a":{"$ref":"d)" + std::to_string(i + 1) + R"("}}},)";
  }
  const std::string last = R"("d50":{"$id":"d50","$defs":{"n":{"$dynamicAnchor":"n"}},)";
  const std::string head = R"({"$ref":"d0","$defs":{)" + defs + last;
  const std::string value = repeated(R"({"a":)", kResources, "1", "}");
  const std::uint64_t dynamic = judge(head + R"("$dynamicRef":"#n"}}})", value).steps;
  const std::uint64_t fixed = judge(head + R"("$ref":"#n"}}})", value).steps;
  EXPECT_GE(dynamic, fixed + kResources);
}

TEST(JsonSchemaTest, EndsAnEvaluationThatCostsTooMuch) {
  // Two ways at each of thirty levels: a thousand million in all.
  std::string schema = R"({"$defs":{"n":{"anyOf":[)"
                       R"({"properties":{"a":{"$ref":"#/$defs/n"}},"required":["x"]},)"
                       R"({"properties":{"a":{"$ref":"#/$defs/n"}},"required":["y"]}]}},)"
                       R"("$ref":"#/$defs/n"})";
  const std::string value = repeated(R"({"a":)", 30, "1", "}");
  const SchemaVerdict verdict = judge(schema, value, {.steps_max = 100'000});
  EXPECT_FALSE(verdict.is_valid);
  EXPECT_TRUE(verdict.is_exhausted);
}

struct Costly {
  std::string schema, value;
};

TEST(JsonSchemaTest, CountsTheBytesThatItReads) {
  constexpr std::size_t kBytes = 64'000;
  const std::string text = "\"" + std::string(kBytes, 'a') + "\"";
  const std::vector<Costly> rows = {
      {R"({"maxLength":100000})", text},
      {R"({"minLength":50000})", text},
      {R"({"enum":[)" + text + "]}", text},
      {R"({"const":)" + text + "}", text},
      {R"({"contains":{"const":[)" + text + "]}}", "[[" + text + "]]"},
      {R"({"uniqueItems":true})", "[" + text + "," + text.substr(0, kBytes) + "\"]"},
      {R"({"properties":{)" + text + ":true}}", "{" + text + ":1}"},
      {R"({"type":"integer"})", "1." + std::string(kBytes, '0')},
      {R"({"minimum":0.5})", "1." + std::string(kBytes, '0')},
  };
  for (const Costly& row : rows) {
    const SchemaVerdict verdict = judge(row.schema, row.value);
    EXPECT_TRUE(verdict.is_valid) << row.schema.substr(0, 40);
    EXPECT_GE(verdict.steps, kBytes / 64) << row.schema.substr(0, 40);
  }
}

TEST(JsonSchemaTest, SurvivesChainsInDeepValues) {
  // Sixty references behind each other at each of sixty levels: more than the stack has to hold.
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    schema += R"("d)" + std::to_string(i) + R"(":{"allOf":[{"$ref":"#/$defs/d)" +
              std::to_string(i + 1) + R"("}]},)";
  }
  const auto chain = [&schema](std::string_view last) {
    return schema + R"("d60":)" + std::string(last) + "}}";
  };
  EXPECT_FALSE(compile(chain(R"({"properties":{"a":{"$ref":"#"}}})")).has_value());
  std::string shorter = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 60; ++i) {
    shorter +=
        R"("d)" + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i + 1) + R"("},)";
  }
  shorter += R"("d60":{"properties":{"a":{"$ref":"#"}}}}})";
  for (const auto unnamed :
       {ValidationOptions::Unnamed::by_schema, ValidationOptions::Unnamed::refuse}) {
    const SchemaVerdict verdict =
        judge(shorter, repeated(R"({"a":)", 60, "1", "}"), {.unnamed = unnamed});
    EXPECT_TRUE(verdict.is_exhausted);
    EXPECT_FALSE(verdict.is_valid);
  }
  EXPECT_TRUE(judge(shorter, repeated(R"({"a":)", 20, "1", "}")).is_valid);
}

struct Violated {
  std::string schema, value;
  std::vector<std::string> violations;
};

TEST(JsonSchemaTest, SaysWhatWasExpectedAndWhere) {
  const std::vector<Violated> rows = {
      {R"({"type":"string"})", "1", {" type: string"}},
      {R"({"type":["string","integer"]})", "1.5", {" type: string or integer"}},
      {R"({"properties":{"a":{"minimum":3}}})", R"({"a":2})", {"/a minimum: at least 3"}},
      {R"({"required":["a","b"]})",
       "{}",
       {R"( required: the member "a")", R"( required: the member "b")"}},
      {R"({"items":{"maxLength":2}})",
       R"(["a","abc","abcd"])",
       {"/1 maxLength: at most 2 characters", "/2 maxLength: at most 2 characters"}},
      {R"({"additionalProperties":false})", R"({"a/b":1})", {"/a~1b false: no value"}},
      {R"({"enum":["a",{"b":1},null]})", "1", {R"( enum: one of "a", {"b":1}, null)"}},
      {R"({"const":"a"})", "1", {R"( const: the value "a")"}},
      {R"({"multipleOf":0.50})", "0.3", {" multipleOf: a multiple of 0.50"}},
      {R"({"anyOf":[{"type":"null"},{"type":"array"}]})", "1", {" anyOf: one of 2 alternatives"}},
      {R"({"propertyNames":{"pattern":"^a"}})", R"({"b":1})", {"/b pattern: text that matches ^a"}},
  };
  for (const Violated& row : rows) {
    std::vector<std::string> found;
    for (const SchemaViolation& one : judge(row.schema, row.value).violations)
      found.push_back(one.pointer + " " + one.keyword + ": " + one.expected);
    EXPECT_EQ(found, row.violations) << row.schema << " and " << row.value;
  }
}

TEST(JsonSchemaTest, NotesNoMoreThanItMay) {
  const std::string many = "[" + repeated("1,", 50, "1", "") + "]";
  EXPECT_EQ(judge(R"({"items":{"type":"null"}})", many, {.violations_max = 3}).violations.size(),
            3U);
}

TEST(JsonSchemaTest, QuotesLittleOfTheSchema) {
  const std::string name = "\"" + std::string(119, 'a') + "\u00e4\"";
  const SchemaVerdict verdict = judge("{\"const\":" + name + "}", "1");
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_LT(verdict.violations.front().expected.size(), 150U);
}

TEST(JsonSchemaTest, LeavesOutPatternsWhereItMay) {
  const std::string schema =
      R"j({"properties":{"a":{"pattern":"(?=a)","maxLength":3}},"patternProperties":{"(?!x)":false}})j";
  const auto lenient = JsonSchema::compile(
      schema, metaschemas(), {.untranslatable = SchemaOptions::Untranslatable::leave_out});
  ASSERT_TRUE(lenient.has_value());
  EXPECT_EQ(lenient->ignored_patterns(),
            (std::vector<std::string>{"/patternProperties/(?!x)", "/properties/a/pattern"}));
  const Bytes bytes(std::string_view(R"({"a":"bcde"})"));
  JsonDocument document;
  const SchemaVerdict verdict = lenient->judge(*document.read(bytes));
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(verdict.violations.front().keyword, "maxLength");
}

TEST(JsonSchemaTest, TakesAnEnumThatRepeatsItselfOrIsEmpty) {
  for (const std::string front :
       {"{", R"({"$schema":"http://json-schema.org/draft-07/schema#",)"}) {
    EXPECT_TRUE(judge(front + R"("enum":[1,1]})", "1").is_valid) << front;
    EXPECT_FALSE(judge(front + R"("enum":[]})", "1").is_valid) << front;
  }
}

TEST(JsonSchemaTest, RefusesWhatMeansNothingWhereItShould) {
  const SchemaOptions strict{.unknown = SchemaOptions::Unknown::refuse};
  const struct {
    std::string schema, pointer;
  } rows[] = {
      {R"({"properties":{"a":{"maxmum":1}}})", "/properties/a/maxmum"},
      {R"({"a":{"maximum":1}})", "/a"},
      {R"({"items":{"format":"emial"}})", "/items/format"},
      {R"({"format":"json-pointer"})", "/format"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","minContains":1})", "/minContains"},
      {R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":)"
       R"({"$ref":"#/definitions/s","maxLength":2}},"definitions":{"s":{}}})",
       "/properties/a/maxLength"},
      {R"({"then":{"type":"null"}})", "/then"},
      {R"({"else":{"type":"null"}})", "/else"},
      {R"({"minContains":2})", "/minContains"},
      {R"({"items":true,"maxContains":2})", "/maxContains"},
  };
  for (const auto& row : rows) {
    EXPECT_TRUE(compile(row.schema).has_value()) << row.schema;
    const auto refused = compile(row.schema, strict);
    ASSERT_FALSE(refused.has_value()) << row.schema;
    EXPECT_EQ(refused.error().pointer, row.pointer);
  }
  for (const std::string_view schema :
       {R"({"x-note":1,"title":"t","properties":{"maxmum":{"format":"date"}}})",
        R"({"default":{"maxmum":1},"enum":[{"maxmum":1}],"$comment":"c","deprecated":true})",
        R"({"if":true,"then":true,"contains":true,"minContains":0})",
        R"({"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/s",)"
        R"("description":"d","definitions":{"s":{"type":"null"}}})"}) {
    EXPECT_TRUE(compile(schema, strict).has_value()) << schema;
  }
}

struct Closed {
  std::string schema, value;
  std::vector<std::string> pointers;
};

TEST(JsonSchemaTest, RefusesMembersThatItDoesNotNameWhereItShould) {
  const std::vector<Closed> rows = {
      {R"({"properties":{"a":true}})", R"({"a":1})", {}},
      {R"({"properties":{"a":true}})", R"({"a":1,"b":2})", {"/b"}},
      // The schema's own word that anything may come does not count.
      {R"({"properties":{"a":true},"additionalProperties":true})", R"({"b":2})", {"/b"}},
      {R"({"properties":{"a":true},"unevaluatedProperties":true})", R"({"b":2})", {"/b"}},
      {R"({"properties":{"a":true},"additionalProperties":{}})", R"({"b":2})", {"/b"}},
      // Its word what may come does.
      {R"({"properties":{"a":true},"additionalProperties":{"type":"number"}})", R"({"b":2})", {}},
      {R"({"patternProperties":{"^x-":true}})", R"({"x-b":2,"b":1})", {"/b"}},
      {R"({"allOf":[{"properties":{"a":true}},{"properties":{"b":true}}]})",
       R"({"a":1,"b":2,"c":3})",
       {"/c"}},
      {R"({"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":true}}}})",
       R"({"a":1,"b":2})",
       {"/b"}},
      {R"({"if":{"required":["a"]},"then":{"properties":{"a":true}},"else":{"properties":{"b":true}}})",
       R"({"b":1})",
       {}},
      {R"({"anyOf":[{"properties":{"a":{"type":"null"}}},{"properties":{"b":true}}]})",
       R"({"a":1,"b":2})",
       {"/a"}},
      // Below: where the schema names members, and only there.
      {R"({"properties":{"a":{"properties":{"b":true}}}})", R"({"a":{"b":1,"c":2}})", {"/a/c"}},
      {R"({"properties":{"a":{"type":"object"}}})", R"({"a":{"b":1}})", {}},
      {R"({"properties":{"a":{"items":{"properties":{"b":true}}}}})",
       R"({"a":[{"b":1},{"c":2}]})",
       {"/a/1/c"}},
      {R"({"type":"object"})", R"({"a":1})", {"/a"}},
      {R"({"type":"object"})", "{}", {}},
      // What several schemas say of one object counts together, wherever it lies.
      {R"({"allOf":[{"properties":{"o":{"properties":{"a":true}}}},)"
       R"({"properties":{"o":{"properties":{"b":true}}}}]})",
       R"({"o":{"a":1,"b":2}})",
       {}},
      {R"({"allOf":[{"properties":{"o":{"properties":{"a":true}}}},)"
       R"({"properties":{"o":{"properties":{"b":true}}}}]})",
       R"({"o":{"a":1,"b":2,"c":3}})",
       {"/o/c"}},
      // A branch that does not fit names nothing, and closes nothing.
      {R"({"anyOf":[{"properties":{"k":{"const":1},"o":{"properties":{"a":true}}}},)"
       R"({"properties":{"k":{"const":2},"o":{"type":"object"}}}]})",
       R"({"o":{"b":1},"k":2})",
       {}},
      {R"({"properties":{"a":true},"not":{"properties":{"b":{"const":1}},"required":["b"]}})",
       R"({"a":1,"b":2})",
       {"/b"}},
      {R"({"contains":{"properties":{"a":{"const":1},"b":true}},"items":{"properties":{"a":true}}})",
       R"([{"a":1,"b":1},{"a":2,"b":2}])",
       {"/1/b"}},
      // It is no part of what the schema says: a \"not\" sees open objects.
      {R"({"properties":{"o":true},"not":{"properties":{"o":{"properties":{"a":{"const":1}}}}}})",
       R"({"o":{"a":2,"b":3}})",
       {}},
      {R"({"unevaluatedProperties":{"type":"number"}})", R"({"b":2})", {}},
      {R"({"properties":{"o":{"not":{"properties":{"m":{"const":"rm"}},"required":["m"]}}}})",
       R"({"o":{"m":"ls"}})",
       {}},
      {R"({"properties":{"o":{"if":{"properties":{"k":{"const":1}}},"then":{"required":["k"]}}}})",
       R"({"o":{"k":2}})",
       {}},
      {R"({"properties":{"o":{"if":{"properties":{"k":{"const":1}}},"then":{"required":["k"]}}}})",
       R"({"o":{"k":1,"l":1}})",
       {"/o/l"}},
      {R"({"properties":{"o":{"anyOf":[{"properties":{"a":true},"required":["a"]},true]}}})",
       R"({"o":{"b":1}})",
       {}},
      {R"({"$id":"http://a.b/","$dynamicAnchor":"T","properties":{"o":{"$ref":"x"},"p":true},)"
       R"("$defs":{"x":{"$id":"x","$dynamicRef":"#T","$defs":{"d":{"$dynamicAnchor":"T"}}}}})",
       R"({"o":{"p":1,"q":2}})",
       {"/o/q"}},
      // A word that anything may come does not count however it is put.
      {R"({"$defs":{"any":{}},"additionalProperties":{"$ref":"#/$defs/any"}})",
       R"({"b":2})",
       {"/b"}},
      {R"({"additionalProperties":{"allOf":[true,{"$ref":"#/$defs/any"}]},"$defs":{"any":true}})",
       R"({"b":2})",
       {"/b"}},
      {R"({"additionalProperties":{"allOf":[true,{"type":"number"}]}})", R"({"b":2})", {}},
  };
  for (const Closed& row : rows) {
    const SchemaVerdict verdict =
        judge(row.schema, row.value, {.unnamed = ValidationOptions::Unnamed::refuse});
    std::vector<std::string> pointers;
    for (const SchemaViolation& one : verdict.violations) {
      pointers.push_back(one.pointer);
      EXPECT_EQ(one.keyword, "additionalProperties");
    }
    EXPECT_EQ(pointers, row.pointers) << row.schema << " and " << row.value;
    EXPECT_EQ(verdict.is_valid, row.pointers.empty());
  }
}

TEST(JsonSchemaTest, FindsMembersThatItDoesNotName) {
  struct Row {
    std::string schema, value, member;
    bool is_named;
  };
  const std::vector<Row> rows = {
      {R"({"properties":{"x":true}})", R"({"x":1})", "/x", true},
      {R"({"properties":{"y":true}})", R"({"x":1})", "/x", false},
      {R"({"patternProperties":{"x":true}})", R"({"x":1})", "/x", false},
      {R"({"additionalProperties":{"type":"number"}})", R"({"x":1})", "/x", false},
      {R"({"properties":{"a":{"properties":{"x":true}}}})", R"({"a":{"x":1}})", "/a/x", true},
      {R"({"properties":{"a":true,"x":true}})", R"({"a":{"x":1}})", "/a/x", false},
      {R"({"anyOf":[true,{"properties":{"x":true}}]})", R"({"x":1})", "/x", true},
  };
  for (const Row& row : rows) {
    const auto compiled = compile(row.schema);
    ASSERT_TRUE(compiled.has_value()) << row.schema;
    const Bytes bytes(row.value);
    JsonDocument document;
    const JsonValue root = *document.read(bytes);
    const JsonValue member = root.at_pointer(row.member);
    ASSERT_TRUE(member);
    EXPECT_EQ(!compiled->find_unnamed(root, {member}), row.is_named) << row.schema;
  }
}

TEST(JsonSchemaTest, KnowsWhichPointersItDeclares) {
  const auto schema = compile(
      R"({"properties":{"a":{"properties":{"b~/c":true}},"list":{"prefixItems":[true],"items":)"
      R"({"properties":{"d":true}}},"open":{"additionalProperties":true},"map":)"
      R"({"additionalProperties":{"type":"string"}}},"allOf":[{"$ref":"#/$defs/more"}],)"
      R"("patternProperties":{"^x-":true},"$defs":{"more":{"properties":{"e":true}}},)"
      R"("dependentSchemas":{"a":{"properties":{"f":true}}}})");
  ASSERT_TRUE(schema.has_value());
  for (const std::string_view pointer : {"", "/a", "/a/b~0~1c", "/list", "/list/*", "/list/*/d",
                                         "/list/3/d", "/e", "/f", "/x-1", "/map/any"}) {
    EXPECT_TRUE(schema->declares(pointer)) << pointer;
  }
  for (const std::string_view pointer :
       {"/b", "/a/c", "/a/b~", "/list/0/d", "/list/d", "/e/x", "/open/x", "/map/any/x"}) {
    EXPECT_FALSE(schema->declares(pointer)) << pointer;
  }
}

TEST(JsonSchemaTest, TellsNoNamesThatItDoesNotKnow) {
  const auto schema =
      compile(R"({"properties":{"a":{"type":["array","null"],"items":{"properties":{"b":true}}},)"
              R"("7":true,"u":{"items":true},"b/c":{"items":true,"properties":{"d":true}}},)"
              R"("patternProperties":{"^x-":{"properties":{"c":true}}}})");
  ASSERT_TRUE(schema.has_value());
  const struct {
    std::string_view pointer, shown;
  } rows[] = {
      {"", ""},
      {"/a", "/a"},
      {"/a/3/b", "/a/3/b"},
      {"/a/3/secret", "/a/3/*"},
      {"/secret", "/*"},
      {"/secret/a", "/*/*"},
      {"/x-secret/c", "/*/c"},
      {"/7", "/7"},
      {"/b~1c/1", "/b~1c/*"},
      {"/u/4111111111111111", "/u/*"},
      {"/12345", "/*"},
      {"/a/b", "/a/*"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(schema->without_unnamed(row.pointer), row.shown) << row.pointer;
}

TEST(JsonSchemaTest, TellsWhichPointersItNames) {
  const auto schema = compile(
      R"({"properties":{"a":{"items":{"properties":{"b/c":true}}},"d":{"type":"array"}},)"
      R"("required":["e"],"allOf":[{"properties":{"f":true}}],"additionalProperties":false})");
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(schema->named_pointers(),
            (std::vector<std::string>{"/a", "/a/*", "/a/*/b~1c", "/d", "/e", "/f"}));
  const auto endless = compile(R"({"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}})");
  ASSERT_TRUE(endless.has_value());
  EXPECT_EQ(endless->named_pointers().size(), 1000U);
}

TEST(JsonSchemaTest, KnowsThePublishedMetaschemas) {
  ASSERT_EQ(published_metaschemas().size(), 18U);
  for (const Metaschema& published : published_metaschemas()) {
    EXPECT_TRUE(metaschemas().find(published.uri)) << published.uri;
    EXPECT_TRUE(compile(published.text).has_value()) << published.uri;
    const Bytes bytes(published.text);
    JsonDocument document;
    EXPECT_TRUE(compiled_lenient_metaschema().accepts(document.read(bytes).value()))
        << published.uri;
  }
  const std::string schema = R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})";
  EXPECT_TRUE(judge(schema, R"({"type":"object"})").is_valid);
  EXPECT_FALSE(judge(schema, R"({"items":{"type":"objekt"}})").is_valid);
}

}  // namespace
}  // namespace bartizan
