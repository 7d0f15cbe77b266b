#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {
namespace {

/// The name that was found, or "".
std::string folded_in(const std::string& schema, const std::string& value) {
  const auto compiled = JsonSchema::compile(schema, SchemaDocuments());
  EXPECT_TRUE(compiled.has_value());
  const Bytes bytes(value);
  JsonDocument document;
  const JsonValue root = document.read(bytes).value();
  return std::string(compiled->find_folded(root).key());
}

TEST(FindFolded, AsksWhatIsNamedInEachPlace) {
  const std::string owner = R"({"properties":{"owner":{}}})";
  const std::string nested = R"({"properties":{"a":{"properties":{"owner":{}}},"b":{}}})";
  const std::string both = R"({"properties":{"owner":{},"Owner":{}}})";
  const std::string elsewhere = R"({"properties":{"owner":{},"in":{"properties":{"Owner":{}}}}})";
  const struct {
    std::string_view name;
    std::string schema, value, want;
  } cases[] = {
      {"the name itself", owner, R"({"owner":1})", ""},
      {"another case beside it", owner, R"({"owner":1,"Owner":2})", "Owner"},
      {"another case alone", owner, R"({"OWNER":2})", "OWNER"},
      {"another case, escaped", owner, R"({"\u004fwner":2})", "Owner"},
      {"another name", owner, R"({"owners":1,"own":2,"öwner":3})", ""},
      {"a long s", R"({"properties":{"skip":{}}})", R"({"ſkip":1})", "ſkip"},
      {"a Kelvin sign", R"({"properties":{"skip":{}}})", "{\"s\xE2\x84\xAAip\":1}",
       "s\xE2\x84\xAAip"},
      {"a NUL behind it", owner, R"({"owner\u0000x":1})", std::string("owner\0x", 7)},
      {"two that are both declared", both, R"({"owner":1,"Owner":2})", ""},
      {"a third one beside them", both, R"({"owner":1,"OWNER":2})", "OWNER"},
      {"a place of its own", nested, R"({"a":{"Owner":1}})", "Owner"},
      {"a place that nothing is said of", nested, R"({"b":{"Owner":1},"Owner":2})", ""},
      {"declared there, and otherwise elsewhere", elsewhere, R"({"owner":1,"in":{"Owner":2}})", ""},
      {"declared elsewhere only", elsewhere, R"({"Owner":1})", "Owner"},
      {"declared elsewhere only, below", elsewhere, R"({"in":{"owner":1}})", "owner"},
      {"in an element", R"({"properties":{"l":{"items":{"properties":{"id":{}}}}}})",
       R"({"l":[{"id":1},{"id":2},[],{"ID":3}]})", "ID"},
      {"in one of several first elements",
       R"({"prefixItems":[{"properties":{"a":{}}},{"properties":{"b":{}}}],
           "items":{"properties":{"c":{}}}})",
       R"([{"B":1},{"A":1},{"A":1,"B":1},{"c":1},{"C":1}])", "C"},
      {"what is required", R"({"required":["owner"]})", R"({"Owner":1})", "Owner"},
      {"in one of several schemas",
       R"({"anyOf":[{"properties":{"x":{}}},{"properties":{"y":{}}}]})", R"({"x":1,"Y":1})", "Y"},
      {"by reference",
       R"({"$ref":"#/$defs/d","$defs":{"d":{"properties":{"owner":{"$ref":"#/$defs/d"}}}}})",
       R"({"owner":{"owner":{"Owner":1}}})", "Owner"},
      {"below any name", R"({"additionalProperties":{"properties":{"id":{}}}})",
       R"({"ID":{"id":1},"x":{"Id":1}})", "Id"},
      {"below a pattern", R"({"patternProperties":{"^x":{"properties":{"id":{}}}}})",
       R"({"y":{"ID":1},"x":{"Id":1}})", "Id"},
      {"no object", owner, R"(["Owner"])", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(folded_in(c.schema, c.value), c.want);
  }
}

TEST(FindFolded, GivesUpWhereItCostsTooMuch) {
  const std::string schema = R"({"properties":{"l":{"items":{"properties":{"id":{}}}},"x":{}}})";
  const auto value_of = [](std::size_t count, std::string_view last) {
    std::string value = R"({"l":[)";
    for (std::size_t i = 0; i < count; ++i)
      value += R"({"id":1},)";
    return value + R"({"id":2}],)" + std::string(last) + ":1}";
  };
  // `ID` is no name of its place, so that all places have to be looked at.
  EXPECT_EQ(folded_in(schema, value_of(1'000, R"("ID")")), "");
  EXPECT_NE(folded_in(schema, value_of(50'000, R"("ID")")), "");
  EXPECT_EQ(folded_in(schema, value_of(50'000, R"("x")")), "");
}

TEST(FindFolded, KnowsWhetherTwoNamesFoldAlike) {
  const auto has_alike = [](std::string_view schema) {
    return JsonSchema::compile(schema, SchemaDocuments()).value().has_alike_names();
  };
  EXPECT_FALSE(has_alike(R"({"properties":{"owner":{},"in":{"properties":{"owner":{}}}}})"));
  EXPECT_TRUE(has_alike(R"({"properties":{"owner":{},"in":{"properties":{"Owner":{}}}}})"));
}

}  // namespace
}  // namespace bartizan
