#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/load/load_config.h"
#include "config/toml_reader.h"
#include "schemas/json/json.h"
#include "schemas/message/header_value.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

template <class Check>
void for_each_document(const std::filesystem::path& path, Check check) {
  JsonDocument reader;
  for (const std::string& line : corpus_lines(path)) {
    const Bytes bytes(line);
    const Result<JsonValue> row = reader.read(bytes, kResponseLimits);
    ASSERT_TRUE(row.has_value()) << line.substr(0, 80);
    if (!row->find("in_1_0").boolean().value_or(false)) continue;
    const auto text = decode_base64(row->find("bytes_b64").text());
    ASSERT_TRUE(text.has_value());
    check(row->find("id").text(), row->find("expect").text(), *text);
  }
}

// No deviation: with the two repairs in toml_reader.cc, toml++ 3.3 agrees with every case of 1.0.
TEST(TomlCorpus, RefusesWithALineAndAcceptsWhatIsToml10) {
  const auto path = corpus_file("config-toml/cases.jsonl");
  if (path.empty()) GTEST_SKIP() << "corpus config-toml is absent";
  int accepted = 0;
  int refused = 0;
  for_each_document(path, [&](std::string_view id, std::string_view expected,
                              const std::string& text) {
    SCOPED_TRACE(id);
    const auto parsed = parse_toml(text, 0);
    EXPECT_EQ(parsed.has_value(), expected == "accept") << (parsed ? "" : parsed.error().message);
    if (parsed) {
      ++accepted;
      return;
    }
    ++refused;
    EXPECT_GE(parsed.error().where.line, 1U);
    EXPECT_GE(parsed.error().where.column, 1U);
    EXPECT_FALSE(parsed.error().message.empty());
    // What cannot be parsed must not be usable either, and must say where.
    const LoadedConfig loaded = load_config_text(text, "x.toml");
    EXPECT_FALSE(loaded.usable());
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_TRUE(loaded.problems[0].where.starts_with("x.toml:")) << loaded.problems[0].where;
  });
  EXPECT_GT(accepted, 200);
  EXPECT_GT(refused, 450);
}

}  // namespace
}  // namespace bartizan
