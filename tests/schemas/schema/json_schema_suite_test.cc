// The official test suite of JSON Schema, its required part, in every dialect.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schemas/schema/json_schema.h"
#include "schemas/schema/metaschemas.h"
#include "tests/corpus.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// The suite's remote documents, under the addresses that its schemas use.
SchemaDocuments read_remotes(const fs::path& folder) {
  SchemaDocuments documents;
  for (const Metaschema& published : published_metaschemas())
    EXPECT_TRUE(documents.add(std::string(published.uri), published.text).has_value());
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string uri =
        "http://localhost:1234/" + fs::relative(entry.path(), folder).generic_string();
    EXPECT_TRUE(documents.add(uri, read_file(entry.path())).has_value()) << uri;
  }
  return documents;
}

struct Tally {
  std::size_t passed = 0, failed = 0;
};

void run_group(JsonValue group, const std::string& front, const std::string& file,
               const SchemaDocuments& documents, Tally& tally) {
  std::string text(group.find("schema").raw());
  // The suite's draft-07 files do not say which dialect they are of.
  if (!front.empty() && text.starts_with('{') && !group.find("schema").find("$schema")) {
    text = "{" + front + (text.find_first_not_of(" \n\r\t", 1) == text.find('}') ? "" : ",") +
           text.substr(1);
  }
  const auto schema = JsonSchema::compile(text, documents);
  const std::string name = file + ": " + std::string(group.find("description").text());
  for (const JsonValue test : group.find("tests")) {
    if (!schema.has_value()) {
      ADD_FAILURE() << name << ": " << bartizan::text(schema.error().flaw) << " at \""
                    << schema.error().pointer << "\": " << schema.error().detail;
      ++tally.failed;
      continue;
    }
    const bool is_valid = *test.find("valid").boolean();
    const JsonValue data = test.find("data");
    const SchemaVerdict verdict = schema->judge(data);
    const bool is_right = schema->accepts(data) == is_valid && verdict.is_valid == is_valid &&
                          verdict.violations.empty() == is_valid && !verdict.is_exhausted;
    EXPECT_TRUE(is_right) << name << ", " << test.find("description").text();
    ++(is_right ? tally.passed : tally.failed);
  }
}

Tally run_draft(const std::string& draft, const std::string& front) {
  const fs::path root = corpus_file("json-schema");
  const SchemaDocuments documents = read_remotes(root / "remotes");
  Tally tally;
  for (const fs::path& path : json_files(root / draft)) {
    const Bytes bytes(read_file(path));
    JsonDocument document;
    const Result<JsonValue> groups = document.read(bytes, kResponseLimits);
    EXPECT_TRUE(groups.has_value()) << path;
    if (!groups.has_value()) continue;
    for (const JsonValue group : *groups)
      run_group(group, front, path.filename().string(), documents, tally);
  }
  return tally;
}

TEST(JsonSchemaSuiteTest, PassesAllThatDraft202012Requires) {
  if (corpus_file("json-schema").empty()) GTEST_SKIP() << "no corpora";
  const Tally tally = run_draft("draft2020-12", "");
  EXPECT_EQ(tally.failed, 0U);
  EXPECT_EQ(tally.passed, 1299U);
}

TEST(JsonSchemaSuiteTest, PassesAllThatDraft07Requires) {
  if (corpus_file("json-schema").empty()) GTEST_SKIP() << "no corpora";
  const Tally tally = run_draft("draft7", R"("$schema":"http://json-schema.org/draft-07/schema#")");
  EXPECT_EQ(tally.failed, 0U);
  EXPECT_EQ(tally.passed, 927U);
}

/// Those that came later into the corpora: a folder that has not got them is no failure.
bool has_draft(const std::string& draft) {
  return !corpus_file("json-schema/" + draft).empty();
}

TEST(JsonSchemaSuiteTest, PassesAllThatDraft201909Requires) {
  if (!has_draft("draft2019-09")) GTEST_SKIP() << "no corpora";
  const Tally tally = run_draft("draft2019-09", "");
  EXPECT_EQ(tally.failed, 0U);
  EXPECT_EQ(tally.passed, 1259U);
}

TEST(JsonSchemaSuiteTest, PassesAllThatDraft06Requires) {
  if (!has_draft("draft6")) GTEST_SKIP() << "no corpora";
  const Tally tally = run_draft("draft6", R"("$schema":"http://json-schema.org/draft-06/schema#")");
  EXPECT_EQ(tally.failed, 0U);
  EXPECT_EQ(tally.passed, 839U);
}

TEST(JsonSchemaSuiteTest, PassesAllThatDraft04Requires) {
  if (!has_draft("draft4")) GTEST_SKIP() << "no corpora";
  const Tally tally = run_draft("draft4", R"("$schema":"http://json-schema.org/draft-04/schema#")");
  EXPECT_EQ(tally.failed, 0U);
  EXPECT_EQ(tally.passed, 618U);
}

}  // namespace
}  // namespace bartizan
