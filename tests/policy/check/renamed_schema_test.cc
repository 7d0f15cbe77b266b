#include "policy/check/renamed_schema.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

/// The schema under other names; `lost` where that cannot be.
std::string renamed(std::string_view schema, const std::vector<RenamedMember>& members) {
  const Bytes bytes(schema);
  JsonDocument document;
  ByteEdits edits;
  if (!rename_schema(document.read(bytes).value(), members, edits)) return "lost";
  return std::move(edits).apply(schema).value_or(std::string(schema));
}

struct Row {
  std::string_view name, schema, want;  ///< An empty want: it stays as it is.
};

void expect_renamed(const std::vector<Row>& rows, const std::vector<RenamedMember>& members) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(renamed(row.schema, members), row.want.empty() ? row.schema : row.want);
  }
}

const std::vector<RenamedMember> kOne{{.name = "query", .renamed = "sql"}};
const std::vector<RenamedMember> kDeep{
    {.name = "a", .renamed = "b", .members = {{.name = "x", .renamed = "y"}}}};

TEST(RenamedSchema, HasTheOtherNameWhereverAKeywordNamesAMember) {
  expect_renamed(
      {
          {"properties and required", R"({"properties":{"query":{}},"required":["n","query"]})",
           R"({"properties":{"sql":{}},"required":["n","sql"]})"},
          {"dependentRequired", R"({"dependentRequired":{"query":["n"],"n":["query"]}})",
           R"({"dependentRequired":{"sql":["n"],"n":["sql"]}})"},
          {"dependentSchemas", R"({"dependentSchemas":{"query":{"required":["query"]}}})",
           R"({"dependentSchemas":{"sql":{"required":["sql"]}}})"},
          {"dependencies", R"({"dependencies":{"query":["n"],"n":{"required":["query"]}}})",
           R"({"dependencies":{"sql":["n"],"n":{"required":["sql"]}}})"},
          {"allOf", R"({"allOf":[{"properties":{"query":{"maxLength":3}}}]})",
           R"({"allOf":[{"properties":{"sql":{"maxLength":3}}}]})"},
          {"anyOf and oneOf", R"({"anyOf":[{"required":["query"]}],"oneOf":[{"not":{}},true]})",
           R"({"anyOf":[{"required":["sql"]}],"oneOf":[{"not":{}},true]})"},
          {"if, then, else", R"({"if":{"required":["query"]},"then":{"properties":{"query":{}}}})",
           R"({"if":{"required":["sql"]},"then":{"properties":{"sql":{}}}})"},
          {"not", R"({"not":{"required":["query"]}})", R"({"not":{"required":["sql"]}})"},
          {"names in an enum", R"({"propertyNames":{"enum":["query","n"]}})",
           R"({"propertyNames":{"enum":["sql","n"]}})"},
          {"a name that is constant", R"({"propertyNames":{"const":"query"}})",
           R"({"propertyNames":{"const":"sql"}})"},
          {"names of a type", R"({"propertyNames":{"type":"string","minLength":2}})", ""},
          {"a pattern that both fit", R"({"patternProperties":{"^[a-z]+$":{"maxLength":3}}})", ""},
          {"a pattern that neither fits", R"({"patternProperties":{"^x-":{}}})", ""},
          {"texts about it", R"({"description":"query","title":"query","default":{"query":1}})",
           ""},
          {"another object", R"({"properties":{"o":{"properties":{"query":{}}}}})", ""},
          {"elements", R"({"items":{"properties":{"query":{}}}})", ""},
          {"its own schema", R"({"properties":{"query":{"properties":{"query":{}}}}})",
           R"({"properties":{"sql":{"properties":{"query":{}}}}})"},
          {"the other name alone", R"({"properties":{"sql":{}},"required":["sql"]})", ""},
          {"a schema that is true", "true", ""},
      },
      kOne);
}

TEST(RenamedSchema, IsNoneWhereItWouldSaySomethingElse) {
  expect_renamed(
      {
          {"both names", R"({"properties":{"query":{},"sql":{}}})", "lost"},
          {"both names, in two places", R"({"properties":{"query":{}},"required":["sql"]})",
           "lost"},
          {"both names, one of them in a part",
           R"({"anyOf":[{"required":["query"]},{"required":["sql"]}]})", "lost"},
          {"a pattern of one name", R"({"patternProperties":{"^query$":{"maxLength":3}}})", "lost"},
          {"a pattern of the other name", R"({"patternProperties":{"^sql":{}}})", "lost"},
          {"a pattern of names", R"({"propertyNames":{"pattern":"^q"}})", "lost"},
          {"a length of names", R"({"propertyNames":{"minLength":4}})", "lost"},
          {"a schema of names", R"({"propertyNames":{"not":{"const":"query"}}})", "lost"},
          {"whole objects", R"({"enum":[{"query":"a"}]})", "lost"},
          {"one object", R"({"allOf":[{"const":{"query":"a"}}]})", "lost"},
          {"whole objects without it", R"({"enum":[{"n":"a"}]})", ""},
      },
      kOne);
}

TEST(RenamedSchema, FollowsNoReferenceAndLosesNone) {
  expect_renamed(
      {
          {"to what names it",
           R"({"allOf":[{"$ref":"#/$defs/q"}],"$defs":{"q":{"required":["query"]}}})", "lost"},
          {"of the whole schema",
           R"({"$ref":"#/$defs/q","$defs":{"q":{"properties":{"query":{}}}}})", "lost"},
          {"to what does not",
           R"({"$ref":"#/$defs/q","properties":{"query":{}},"$defs":{"q":{"maxProperties":3}}})",
           R"({"$ref":"#/$defs/q","properties":{"sql":{}},"$defs":{"q":{"maxProperties":3}}})"},
          {"of another object",
           R"({"properties":{"o":{"$ref":"#/$defs/q"}},"$defs":{"q":{"required":["query"]}}})", ""},
          {"of the argument itself",
           R"({"properties":{"query":{"$ref":"#/$defs/q"}},"$defs":{"q":{"type":"string"}}})",
           R"({"properties":{"sql":{"$ref":"#/$defs/q"}},"$defs":{"q":{"type":"string"}}})"},
          {"from elsewhere to the schema",
           R"({"properties":{"query":{},"o":{"items":{"$ref":"#"}}}})", "lost"},
          {"from elsewhere to the argument",
           R"({"properties":{"query":{},"o":{"$ref":"#/properties/query"}}})", "lost"},
          {"from elsewhere to another argument",
           R"({"properties":{"query":{},"n":{},"o":{"$ref":"#/properties/n"}}})",
           R"({"properties":{"sql":{},"n":{},"o":{"$ref":"#/properties/n"}}})"},
          {"spelled otherwise",
           R"({"properties":{"query":{},"o":{"$ref":"#/properties/%71uery"}}})", "lost"},
          {"to an anchor", R"({"properties":{"query":{},"o":{"$ref":"#here"}}})", "lost"},
          {"to the name of the schema",
           R"({"$id":"https://example.com/s","properties":{"query":{},"o":{"$ref":"s"}}})", "lost"},
          {"that is dynamic", R"({"properties":{"query":{},"o":{"$dynamicRef":"#here"}}})", "lost"},
          {"that is an argument", R"({"properties":{"query":{},"$ref":{}}})",
           R"({"properties":{"sql":{},"$ref":{}}})"},
      },
      kOne);
}

TEST(RenamedSchema, HasOtherNamesBelowARenamedMemberToo) {
  expect_renamed(
      {
          {"deep", R"({"properties":{"a":{"properties":{"x":{}},"required":["x"]}}})",
           R"({"properties":{"b":{"properties":{"y":{}},"required":["y"]}}})"},
          {"below the name that is sent", R"({"properties":{"b":{"properties":{"x":{}}}}})",
           R"({"properties":{"b":{"properties":{"y":{}}}}})"},
          {"in a part", R"({"allOf":[{"properties":{"a":{"not":{"required":["x"]}}}}]})",
           R"({"allOf":[{"properties":{"b":{"not":{"required":["y"]}}}}]})"},
          {"at the top", R"({"properties":{"x":{}}})", ""},
          {"of other members", R"({"additionalProperties":{"required":["x"]}})", "lost"},
          {"of other members that are referred to",
           R"({"additionalProperties":{"$ref":"#/$defs/q"}})", "lost"},
          {"of others, where it is named",
           R"({"properties":{"a":{}},"additionalProperties":{"required":["x"]}})",
           R"({"properties":{"b":{}},"additionalProperties":{"required":["x"]}})"},
          {"of a pattern", R"({"patternProperties":{"^.$":{"required":["x"]}}})", "lost"},
      },
      kDeep);
}

}  // namespace
}  // namespace bartizan
