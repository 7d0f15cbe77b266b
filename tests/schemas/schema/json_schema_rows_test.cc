// What a second validator judges otherwise, settled by the specification. The generators of
// fuzz/schema_generator.h and schema_pairs.mjs leave these shapes out, each for its row.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/valijson_oracle.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

struct Row {
  std::string schema;  ///< Without its `$schema`.
  std::string value;
  bool is_valid;
  std::string section;  ///< Of the dialect's Core or Validation.
};

std::string with_front(const std::string& front, const std::string& schema) {
  return "{" + front + "," + schema.substr(1);
}

void expect_verdict(const std::string& schema, const Row& row) {
  const auto compiled = JsonSchema::compile(schema, metaschemas());
  ASSERT_TRUE(compiled.has_value()) << schema << ": " << compiled.error().detail;
  const Bytes bytes(row.value);
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(value.has_value()) << row.value;
  EXPECT_EQ(compiled->accepts(*value), row.is_valid) << schema << "\n" << row.value;
  EXPECT_EQ(compiled->judge(*value).violations.empty(), row.is_valid) << schema << "\n"
                                                                      << row.value;
}

/// A row at which valijson is right, or fails in another way, says nothing any more: its shape
/// belongs back into the generator.
TEST(JsonSchemaRowsTest, AreWhatTheSpecificationSaysAndValijsonDoesNot) {
  const std::vector<Row> rows = {
      {R"({"type":"integer"})", "1.0", true, "Validation §6.1.1"},
      {R"({"type":"integer"})", "1e300", true, "Validation §6.1.1"},
      {R"({"multipleOf":2})", "4.5", false, "Validation §6.2.1"},
      {R"({"multipleOf":2})", R"("3")", true, "Validation §4.1"},
      {R"({"multipleOf":0.5})", R"("3.25")", true, "Validation §4.1"},
      {R"({"multipleOf":0.01})", "123456789012.01", true, "Validation §6.2.1"},
      {R"({"maximum":9007199254740992})", "9007199254740993", false, "Validation §6.2.2"},
      {R"({"const":9007199254740992})", "9007199254740993", false, "Core §4.2.3"},
      {R"({"minimum":0})", "18446744073709551615", true, "Validation §6.2.4"},
      {R"({"maxLength":1})", R"("a\u0000b")", false, "Validation §6.3.1"},
      {R"({"properties":{"a\u0000b":false}})", R"({"a":1})", true, "Validation §6.5.4"},
  };
  const std::string front = R"("$schema":"http://json-schema.org/draft-07/schema#")";
  for (const Row& row : rows) {
    const std::string schema = with_front(front, row.schema);
    expect_verdict(schema, row);
    const auto valijson = ValijsonSchema::compile(schema);
    EXPECT_TRUE(!valijson.has_value() || valijson->accepts(row.value) != row.is_valid)
        << schema << "\n"
        << row.value;
  }
}

TEST(JsonSchemaRowsTest, AreWhatTheSpecificationSaysAndAjvDoesNot) {
  const std::vector<Row> rows = {
      // The name is taken for the sign that none is missing.
      {R"({"required":[""]})", "{}", false, "Validation §6.5.3"},
      // What every JavaScript object has without being told.
      {R"({"required":["toString"]})", "{}", false, "Validation §6.5.3"},
      {R"({"properties":{"constructor":false}})", "{}", true, "Core §10.3.2.1"},
      {R"({"multipleOf":1.5})", "9007199254740991", false, "Validation §6.2.1"},
      {R"({"multipleOf":0.01})", "4.35", true, "Validation §6.2.1"},
      {R"({"const":9007199254740992})", "9007199254740993", false, "Core §4.2.2"},
      // `contains` evaluates what it finds.
      {R"({"contains":{},"unevaluatedItems":false})", "[1.5]", true, "Core §11.2"},
      {R"({"contains":{"type":"null"},"unevaluatedItems":false})", "[1,null]", false, "Core §11.2"},
      // A branch that fails evaluates nothing.
      {R"({"anyOf":[{},{"items":{"type":"null"}}],"unevaluatedItems":false})", R"(["a"])", false,
       "Core §7.7.1.2"},
      {R"({"if":{"unevaluatedProperties":true,"type":"null"},"else":{"properties":{}},
           "unevaluatedProperties":false})",
       R"({"a":1})", false, "Core §7.7.1.2"},
      {R"({"$ref":"#/$defs/a","unevaluatedProperties":false,
           "$defs":{"a":{"if":{"additionalProperties":{"type":"null"}},"else":{"if":true}}}})",
       R"({"a":1})", false, "Core §7.7.1.2"},
      {R"({"if":{"prefixItems":[{"minimum":1}]},"then":{"$ref":"#/$defs/a"},
           "unevaluatedItems":false,"$defs":{"a":{}}})",
       "[0]", false, "Core §7.7.1.2"},
      {R"({"$ref":"#/$defs/a","unevaluatedItems":false,
           "$defs":{"a":{"dependentSchemas":{"a":{"prefixItems":[{}]}}}}})",
       "[1]", false, "Core §10.2.2.4"},
      // The array is empty, whatever was judged before it.
      {R"({"prefixItems":[{"$dynamicRef":"#n"}],"contains":true,"$dynamicAnchor":"n"})", "[]",
       false, "Core §10.3.1.3"},
      // What stands beside `$dynamicRef` holds, and one to a plain anchor is a `$ref`.
      {R"({"properties":{"a":{"$dynamicRef":"#n","enum":[1]}},"$dynamicAnchor":"n"})", R"({"a":2})",
       false, "Core §8.2.3.2"},
      {R"({"$dynamicRef":"#a","$defs":{"a":{"$anchor":"a","type":"null"}}})", "1", false,
       "Core §8.2.3.2"},
      {R"({"enum":[]})", "1", false, "Validation §6.1.2"},
  };
  const std::string front = R"("$schema":"https://json-schema.org/draft/2020-12/schema")";
  for (const Row& row : rows)
    expect_verdict(with_front(front, row.schema), row);
}

}  // namespace
}  // namespace bartizan
