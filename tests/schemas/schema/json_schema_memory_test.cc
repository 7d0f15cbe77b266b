// A program of its own, since it counts what anybody allocates.
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "tests/bench/schema_shapes.h"
#include "tests/count_allocations.h"

namespace bartizan {
namespace {

struct Fitting {
  std::string schema, value;
};

std::vector<Fitting> fitting() {
  std::vector<Fitting> rows = {
      {R"({"items":{"type":"integer","minimum":0,"multipleOf":1},"minItems":2,"maxItems":9})",
       "[1,2.0,3e2]"},
      {R"({"items":{"minimum":0.5,"exclusiveMaximum":1e300}})", "[1,0.75,12345678901234567890]"},
      {R"({"prefixItems":[{"type":"string"},true],"items":false})", R"(["a",2])"},
      {R"({"contains":{"const":3},"minContains":1,"maxContains":2})", "[1,3,3]"},
      {R"({"uniqueItems":true})", R"([1,"1",[1],{"a":1},{"a":2},null,true,2,3,4])"},
      {R"j({"pattern":"^[a-z]+(-[0-9]{1,4})*$","minLength":3,"maxLength":40})j",
       R"("some-12-1234")"},
      {R"({"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false})",
       R"({"x-one":"1","x-two":"2"})"},
      {R"({"propertyNames":{"pattern":"^[a-z_]+$","maxLength":20}})", R"({"one":1,"two_three":2})"},
      {R"({"propertyNames":{"enum":["one","two"]}})", R"({"two":1})"},
      {R"({"properties":{"a":true,"b":{"$ref":"#/$defs/b"}},"additionalProperties":false,)"
       R"("$defs":{"b":{"type":"object","properties":{"c":{"$ref":"#/$defs/b"}}}}})",
       R"({"a":1,"b":{"c":{"c":{}}}})"},
      {R"({"$dynamicRef":"#node","$defs":{"n":{"$dynamicAnchor":"node","type":"object",)"
       R"("additionalProperties":{"$dynamicRef":"#node"}}}})",
       R"({"a":{"b":{}}})"},
      {R"({"allOf":[{"properties":{"a":true}},{"required":["b"]}],"properties":{"b":true},)"
       R"("unevaluatedProperties":false})",
       R"({"a":1,"b":2})"},
      {R"({"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false})",
       R"([1,"a"])"},
      {R"({"enum":[1,null,"a",[1,{"b":2}]]})", R"([1.0,{"b":2}])"},
      {R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"not":{"required":["b"]}}})",
       R"({"a":1,"b":2})"},
      {R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"b":{"maxProperties":2}}})",
       R"({"a":1,"b":2})"},
      {R"({"anyOf":[{"type":"null"},{"maximum":1},{"minimum":5}]})", "7"},
  };
  for (const SchemaShape& shape : schema_shapes())
    rows.push_back({shape.schema, shape.document});
  return rows;
}

std::size_t count_allocations(const JsonSchema& schema, JsonValue value,
                              const ValidationOptions& options) {
  const std::size_t before = allocations_so_far();
  EXPECT_TRUE(schema.accepts(value, options));
  return allocations_so_far() - before;
}

TEST(JsonSchemaMemoryTest, CountsAllocations) {
  const std::size_t before = allocations_so_far();
  const std::string text(1000, 'a');
  EXPECT_EQ(allocations_so_far() - before, 1U);
  EXPECT_FALSE(text.empty());
}

TEST(JsonSchemaMemoryTest, AllocatesNothingForAValueThatFits) {
  for (const Fitting& row : fitting()) {
    const auto schema = JsonSchema::compile(row.schema, metaschemas());
    ASSERT_TRUE(schema.has_value()) << row.schema;
    const Bytes bytes(row.value);
    JsonDocument document;
    const Result<JsonValue> value = document.read(bytes, kResponseLimits);
    ASSERT_TRUE(value.has_value()) << row.value;
    // A pattern's automaton is made when it first meets a text.
    ASSERT_TRUE(schema->accepts(*value)) << row.schema;
    EXPECT_EQ(count_allocations(*schema, *value, {}), 0U) << row.schema;
  }
}

TEST(JsonSchemaMemoryTest, AllocatesNothingWhereUnnamedMembersAreRefused) {
  for (const SchemaShape& shape : schema_shapes()) {
    const auto schema = JsonSchema::compile(shape.schema, metaschemas());
    ASSERT_TRUE(schema.has_value()) << shape.name;
    const Bytes bytes(shape.document);
    JsonDocument document;
    const ValidationOptions strict{.unnamed = ValidationOptions::Unnamed::refuse};
    const JsonValue value = *document.read(bytes);
    EXPECT_EQ(count_allocations(*schema, value, strict), 0U) << shape.name;
  }
}

}  // namespace
}  // namespace bartizan
