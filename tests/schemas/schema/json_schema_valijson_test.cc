// Two validators that know nothing of each other judge the same generated pairs. What they disagree
// about is settled by the specification, and becomes a row of json_schema_rows_test.cc.
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "fuzz/schema_generator.h"
#include "fuzz/valijson_oracle.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"

namespace bartizan {
namespace {

constexpr std::size_t kValuesOfSchema = 25;

struct Tally {
  std::size_t valid = 0, invalid = 0, refused = 0;
};

/// How many schemas, each with its values; more of them by hand.
std::size_t schemas_wanted() {
  const char* wanted = std::getenv("BARTIZAN_SCHEMAS");
  const std::string_view text = wanted == nullptr ? "1000" : wanted;
  std::size_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void compare(const JsonSchema& ours, const ValijsonSchema& theirs, const std::string& schema,
             const std::string& value, Tally& tally) {
  const Bytes bytes(value);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  ASSERT_TRUE(root.has_value()) << value;
  const std::optional<bool> second = theirs.accepts(value);
  if (!second.has_value()) {
    ++tally.refused;
    return;
  }
  const SchemaVerdict verdict = ours.judge(*root);
  EXPECT_EQ(verdict.is_valid, *second)
      << "schema:   " << schema << "\nvalue:    " << value << "\nvalijson: " << *second;
  EXPECT_EQ(ours.accepts(*root), verdict.is_valid) << schema << "\n" << value;
  EXPECT_EQ(verdict.violations.empty(), verdict.is_valid) << schema << "\n" << value;
  EXPECT_FALSE(verdict.is_exhausted) << schema << "\n" << value;
  ++(*second ? tally.valid : tally.invalid);
}

void compare_schema(std::uint64_t seed, Tally& tally) {
  FuzzChoices choices = FuzzChoices::from_seed(seed);
  SchemaGenerator generator(choices);
  const JsonTree tree = generator.schema();
  const std::string schema = to_json(tree);
  const auto ours = JsonSchema::compile(schema, metaschemas());
  ASSERT_TRUE(ours.has_value()) << schema << "\n" << ours.error().detail;
  const auto theirs = ValijsonSchema::compile(schema);
  if (!theirs.has_value()) {
    tally.refused += kValuesOfSchema;
    return;
  }
  for (std::size_t i = 0; i < kValuesOfSchema; ++i)
    compare(*ours, *theirs, schema, to_json(generator.value_near(tree)), tally);
}

TEST(JsonSchemaValijsonTest, JudgesGeneratedPairsAlike) {
  const std::size_t schemas = schemas_wanted();
  Tally tally;
  for (std::size_t seed = 1; seed <= schemas && !HasFailure(); ++seed)
    compare_schema(seed, tally);
  if (HasFailure()) return;
  RecordProperty("valid", static_cast<int>(tally.valid));
  RecordProperty("invalid", static_cast<int>(tally.invalid));
  RecordProperty("refused", static_cast<int>(tally.refused));
  // Pairs that say little: all of one verdict, or not judged.
  const std::size_t all = tally.valid + tally.invalid + tally.refused;
  EXPECT_EQ(all, schemas * kValuesOfSchema);
  EXPECT_GT(tally.valid, all / 4);
  EXPECT_GT(tally.invalid, all / 4);
  EXPECT_LE(tally.refused, all / 100);
}

}  // namespace
}  // namespace bartizan
