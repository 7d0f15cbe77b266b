// docs/record.schema.json, which is published, held against the code that writes records.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "audit/chain.h"
#include "audit/encode_record.h"
#include "audit/record_members.h"
#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "tests/checkout.h"

namespace bartizan {
namespace {

std::string published() {
  std::ifstream file(project_file("docs/record.schema.json"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string line_of(const Record& record) {
  const EncodedRecord encoded = encode_record(record);
  Digester digester;
  std::string line;
  append_chain_line(line, {.body = encoded.body,
                           .sequence = 1,
                           .prev = {},
                           .hash = chain_hash(digester, {}, 1, encoded.digest)});
  line.pop_back();
  return line;
}

/// The schema as people would validate by it.
class RecordSchema : public testing::Test {
 protected:
  RecordSchema() {
    auto compiled = JsonSchema::compile(text_, metaschemas(), {});
    EXPECT_TRUE(compiled.has_value());
    schema_.emplace(*std::move(compiled));
    root_ = document_.read(bytes_).value_or(JsonValue());
  }

  bool accepts(std::string_view line) {
    const Bytes bytes{line};
    JsonDocument document;
    return schema_->accepts(document.read(bytes).value_or(JsonValue()));
  }

  std::string text_ = published();
  Bytes bytes_{std::string_view(text_)};
  JsonDocument document_;
  JsonValue root_;
  std::optional<JsonSchema> schema_;
};

TEST_F(RecordSchema, HasEachMemberWithItsTypeAndBound) {
  const JsonValue properties = root_.find("properties");
  std::size_t members = 6;  // `v`, `kind`, `time`, `seq`, `prev`, `hash`.
  Record record;
  visit_members(record, [&](std::string_view name, auto& field, std::size_t bytes_max) {
    ++members;
    using Field = std::remove_cvref_t<decltype(field)>;
    const JsonValue member = properties.find(name);
    EXPECT_TRUE(member.find("description").text().ends_with('.')) << name;
    const auto bound = static_cast<std::int64_t>(bytes_max);
    if constexpr (std::is_same_v<Field, std::string_view>) {
      if (!member.find("enum")) EXPECT_EQ(member.find("maxLength").integer(), bound) << name;
    } else if constexpr (std::is_same_v<Field, std::vector<std::string_view>>) {
      EXPECT_EQ(member.find("items").find("maxLength").integer(), bound) << name;
      EXPECT_EQ(member.find("maxItems").integer(), static_cast<std::int64_t>(kItemsMax)) << name;
    } else if constexpr (std::is_integral_v<Field>) {
      EXPECT_EQ(member.find("type").text(), "integer") << name;
    } else {
      EXPECT_TRUE(member.find("enum").is(JsonType::array)) << name;
    }
  });
  EXPECT_EQ(properties.size(), members);
}

TEST_F(RecordSchema, AcceptsEachKindAndEachOutcome) {
  for (int kind = 0; kind <= static_cast<int>(kRecordKindLast); ++kind) {
    Record record{.kind = static_cast<RecordKind>(kind)};
    EXPECT_TRUE(accepts(line_of(record))) << text(record.kind);
  }
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::cancelled); ++outcome) {
    Record record{.outcome = static_cast<Outcome>(outcome)};
    EXPECT_TRUE(accepts(line_of(record))) << outcome;
  }
}

TEST_F(RecordSchema, RefusesWhatIsNoRecord) {
  Record record;
  record.decision = "permit";
  record.roles = {"reader"};
  record.http_status = 200;
  const std::string line = line_of(record);
  ASSERT_TRUE(accepts(line));
  const struct {
    std::string_view name, old, fresh;
  } rows[] = {
      {"another version", R"("v":1)", R"("v":2)"},
      {"another kind", R"("kind":"decision")", R"("kind":"decided")"},
      {"a decision that is none", R"("permit")", R"("allow")"},
      {"a role alone", R"(["reader"])", R"("reader")"},
      {"a role that is a number", R"(["reader"])", "[1]"},
      {"a status as text", R"("http_status":200)", R"("http_status":"200")"},
      {"a sequence below one", R"("seq":1)", R"("seq":0)"},
      {"no sequence", R"("seq":1,)", ""},
      {"a hash in upper case", R"("prev":"0)", R"("prev":"A)"},
  };
  for (const auto& row : rows) {
    std::string wrong = line;
    const std::size_t at = wrong.find(row.old);
    ASSERT_NE(at, wrong.npos) << row.name;
    wrong.replace(at, row.old.size(), row.fresh);
    EXPECT_FALSE(accepts(wrong)) << row.name;
  }
}

}  // namespace
}  // namespace bartizan
