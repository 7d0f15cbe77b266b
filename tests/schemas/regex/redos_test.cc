// Patterns that take other engines exponential time: the corpus `redos`, as patterns of schemas.
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "schemas/json/json_text.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

/// A row's text, which is written out or stands there as how often something is repeated.
std::string input_of(JsonValue row) {
  const JsonValue repeat = row.find("input_expr").find("repeat");
  if (!repeat) return std::string(row.find("input").text());
  std::string text;
  for (std::int64_t left = *row.find("input_expr").find("count").integer(); left > 0; --left)
    text += repeat.text();
  return text;
}

/// The least budget of steps that is enough to judge a text.
std::uint64_t steps_for(const JsonSchema& schema, const std::string& text) {
  const Bytes bytes{json_string(text)};
  JsonDocument document;
  const Result<JsonValue> value = document.read(bytes);
  EXPECT_TRUE(value.has_value());
  std::uint64_t enough = std::uint64_t{1} << 32U;
  EXPECT_FALSE(schema.judge(*value, {.steps_max = enough}).is_exhausted);
  for (std::uint64_t less = 0; less + 1 < enough;) {
    const std::uint64_t tried = less + (enough - less) / 2;
    const bool is_exhausted = schema.judge(*value, {.steps_max = tried}).is_exhausted;
    (is_exhausted ? less : enough) = tried;
  }
  return enough;
}

TEST(RedosTest, CostsNoMoreThanItsTextIsLong) {
  const std::filesystem::path path = corpus_file("redos/patterns.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus redos is absent";
  // Why a row has no translation; all others have one.
  const std::map<std::string, std::string> refused = {
      {"own-17", "look-around"},
      {"own-20", "a pattern that is too large"},
      {"own-21", "a pattern that is too large"},
      {"own-22", "a pattern that is too large"},
  };
  const SchemaDocuments documents;
  std::size_t judged = 0;
  for (const std::string& line : corpus_lines(path)) {
    const Bytes bytes{std::string(line)};
    JsonDocument document;
    const Result<JsonValue> row = document.read(bytes);
    ASSERT_TRUE(row.has_value()) << line;
    const std::string id(row->find("id").text());
    const auto schema = JsonSchema::compile(
        R"({"pattern":)" + json_string(row->find("regex").text()) + "}", documents);
    const auto why = refused.find(id);
    if (!schema.has_value()) {
      const bool is_large = schema.error().detail == "a pattern that is too large";
      EXPECT_EQ(text(schema.error().flaw), is_large ? "too_large" : "untranslatable_pattern") << id;
      EXPECT_EQ(schema.error().detail, why == refused.end() ? "" : why->second) << id;
      continue;
    }
    EXPECT_EQ(why, refused.end()) << id;
    const std::string input = input_of(*row);
    const std::uint64_t once = steps_for(*schema, input);
    const std::uint64_t twice = steps_for(*schema, input + input);
    EXPECT_LE(twice, 2 * once + 2) << id << ": " << once << " steps";
    ++judged;
  }
  EXPECT_GE(judged, 20U);
}

}  // namespace
}  // namespace bartizan
