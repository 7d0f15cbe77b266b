#include "schemas/message/skill_entry.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schemas/base/bytes.h"

namespace bartizan {
namespace {

const std::string kHex(64, 'a');

SkillEntry read(std::string_view text) {
  const Bytes bytes(text);
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  EXPECT_TRUE(root.has_value()) << text;
  return read_skill_entry(root.value_or(JsonValue()));
}

std::string file(std::string_view uri, std::string_view digest, std::string_view size) {
  return R"({"uri":")" + std::string(uri) + R"(","digest":)" + std::string(digest) + R"(,"size":)" +
         std::string(size) + "}";
}

std::string entry(std::string_view uri, const std::string& files) {
  return R"({"uri":")" + std::string(uri) + R"(","frontmatter":{},"resources":)" + files + "}";
}

TEST(SkillEntry, SaysWhyNoHostMayLoadIt) {
  const std::string digest = "\"sha256:" + kHex + "\"";
  const std::string own = file("skill://a/SKILL.md", digest, "3");
  const auto with = [&](const std::string& other) {
    return entry("skill://a/SKILL.md", "[" + own + "," + other + "]");
  };
  const struct {
    std::string_view name;
    std::string text;
    std::string_view flaw;
  } cases[] = {
      {"one file", entry("skill://a/SKILL.md", "[" + own + "]"), ""},
      {"two files", with(file("skill://a/b/c.md", digest, "0")), ""},
      {"another scheme",
       entry("github://o/r/a/SKILL.md", "[" + file("github://o/r/a/SKILL.md", digest, "3") + "]"),
       ""},
      {"dynamic", entry("skill://a/SKILL.md", "\"dynamic\""), ""},
      {"another word", entry("skill://a/SKILL.md", "\"Dynamic\""), "it lists no files"},
      {"no files at all", R"({"uri":"skill://a/SKILL.md"})", "it lists no files"},
      {"no uri", R"({"resources":[]})", "its uri is not that of a SKILL.md"},
      {"a uri of another file", entry("skill://a/README.md", "[" + own + "]"),
       "its uri is not that of a SKILL.md"},
      {"not its own", entry("skill://a/SKILL.md", "[]"), "it does not list its own SKILL.md"},
      {"outside", with(file("skill://ab/c.md", digest, "0")),
       "it lists a file outside of its directory"},
      {"twice", with(own), "it lists a file twice"},
      {"a digest in upper case",
       with(file("skill://a/b.md", "\"sha256:" + std::string(64, 'A') + "\"", "0")),
       "it lists a file without digest or size"},
      {"a digest of another kind", with(file("skill://a/b.md", "\"sha1:" + kHex + "\"", "0")),
       "it lists a file without digest or size"},
      {"a short digest", with(file("skill://a/b.md", "\"sha256:aa\"", "0")),
       "it lists a file without digest or size"},
      {"a negative size", with(file("skill://a/b.md", digest, "-1")),
       "it lists a file without digest or size"},
      {"a size in a text", with(file("skill://a/b.md", digest, "\"3\"")),
       "it lists a file without digest or size"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(c.text).flaw, c.flaw);
  }
}

TEST(SkillEntry, HasAsManyFilesAsEveryHostMustTake) {
  const auto with = [](std::size_t count) {
    std::string files = "[" + file("skill://a/SKILL.md", "\"sha256:" + kHex + "\"", "3");
    for (std::size_t i = 1; i < count; ++i) {
      files += "," + file("skill://a/" + std::to_string(i), "\"sha256:" + kHex + "\"", "3");
    }
    return read(entry("skill://a/SKILL.md", files + "]"));
  };
  EXPECT_EQ(with(512).files.size(), 512U);
  EXPECT_EQ(with(513).flaw, "it has more than 512 files");
}

TEST(SkillEntry, NamesTheFileOfADirectory) {
  EXPECT_EQ(skill_uri("skill://a/b"), "skill://a/b/SKILL.md");
}

}  // namespace
}  // namespace bartizan
