#include "policy/check/check_skill.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/base/sha256.h"

namespace bartizan {
namespace {

constexpr std::string_view kBody = "do as it says\n";

SkillFile listed(std::string_view text) {
  return {.sha256 = sha256_hex(text), .bytes = text.size()};
}

/// The skills `a`, `a/inner` within it, `made` without a promise, and `broken`.
const std::map<std::string, SkillEntry, std::less<>>& skills() {
  static const std::map<std::string, SkillEntry, std::less<>> all{
      {"skill://a/SKILL.md",
       {.flaw = {},
        .is_dynamic = false,
        .files = {{"skill://a/SKILL.md", listed(kBody)},
                  {"skill://a/image", listed("abc")},
                  {"skill://a/inner/SKILL.md", listed(kBody)}}}},
      {"skill://a/inner/SKILL.md",
       {.flaw = {},
        .is_dynamic = false,
        .files = {{"skill://a/inner/SKILL.md", listed("what it was")}}}},
      {"skill://made/SKILL.md", {.flaw = {}, .is_dynamic = true, .files = {}}},
      {"skill://broken/SKILL.md", {.flaw = "it lists no files", .is_dynamic = false, .files = {}}},
  };
  return all;
}

std::string flaw_of(std::string_view uri, std::string_view contents) {
  const Bytes bytes(R"({"contents":)" + std::string(contents) + "}");
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes);
  EXPECT_TRUE(root.has_value()) << contents;
  return skill_flaw(
      [](std::string_view skill) -> const SkillEntry* {
        const auto found = skills().find(skill);
        return found == skills().end() ? nullptr : &found->second;
      },
      uri, root.value_or(JsonValue()));
}

std::string content(std::string_view uri, std::string_view members) {
  return R"({"uri":")" + std::string(uri) + "\"," + std::string(members) + "}";
}

TEST(CheckSkill, LetsPassWhatIsListed) {
  const std::string_view own = "skill://a/SKILL.md";
  const std::string good = content(own, R"("text":"do as it says\n")");
  const struct {
    std::string_view name, uri;
    std::string contents;
    std::string_view flaw;  ///< How it begins; empty where it passes.
  } cases[] = {
      {"as listed", own, "[" + good + "]", ""},
      {"written with escapes", own, "[" + content(own, R"("text":"\u0064o as it says\n")") + "]",
       ""},
      {"in base64", own, "[" + content(own, R"("blob":"ZG8gYXMgaXQgc2F5cwo=")") + "]", ""},
      {"a file beside it", "skill://a/image",
       "[" + content("skill://a/image", R"("blob":"YWJj")") + "]", ""},
      {"as many other bytes", own, "[" + content(own, R"("text":"do as I say!!\n")") + "]",
       "the file is sha256:"},
      {"one byte less", own, "[" + content(own, R"("text":"do as it says")") + "]",
       "the file has 13 bytes, and 14 are listed"},
      {"another byte in base64", "skill://a/image",
       "[" + content("skill://a/image", R"("blob":"YWJk")") + "]", "the file is sha256:"},
      {"base64 that is none", "skill://a/image",
       "[" + content("skill://a/image", R"("blob":"YWJj*")") + "]", "the content cannot be read"},
      {"text and blob", own,
       "[" + content(own, R"("text":"do as it says\n","blob":"ZXZpbA==")") + "]",
       "the content cannot be read"},
      {"neither", own, "[" + content(own, R"("mimeType":"text/markdown")") + "]",
       "the content cannot be read"},
      {"a second content", own, "[" + good + "," + content(own, R"("text":"evil")") + "]",
       "the answer has not one content"},
      {"none", own, "[]", "the answer has not one content"},
      {"under another name", own,
       "[" + content("skill://b/SKILL.md", R"("text":"do as it says\n")") + "]",
       "the content is of another file"},
      {"not listed", "skill://a/more.md", "[" + content("skill://a/more.md", R"("text":"")") + "]",
       "the skill does not list the file"},
      {"a path that leads back", "skill://a/x/../SKILL.md", "[" + good + "]",
       "the skill does not list the file"},
      {"listed by the outer skill alone", "skill://a/inner/SKILL.md",
       "[" + content("skill://a/inner/SKILL.md", R"("text":"do as it says\n")") + "]",
       "the file has 14 bytes, and 11 are listed"},
      {"listed by the inner skill alone", "skill://a/inner/SKILL.md",
       "[" + content("skill://a/inner/SKILL.md", R"("text":"what it was")") + "]",
       "the file has 11 bytes, and 14 are listed"},
      {"of a skill that promises nothing", "skill://made/SKILL.md",
       "[" + content("skill://made/SKILL.md", R"("text":"today")") + "]", ""},
      {"of an entry that cannot be used", "skill://broken/SKILL.md",
       "[" + content("skill://broken/SKILL.md", R"("text":"")") + "]",
       "the entry of the skill cannot be used: it lists no files"},
      {"a directory that begins alike", "skill://ab/SKILL.md",
       "[" + content("skill://ab/SKILL.md", R"("text":"anything")") + "]", ""},
      {"in no skill", "file:///etc/motd", "[" + content("file:///etc/motd", R"("text":"")") + "]",
       ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string flaw = flaw_of(c.uri, c.contents);
    EXPECT_TRUE(c.flaw.empty() ? flaw.empty() : flaw.starts_with(c.flaw)) << flaw;
  }
}

}  // namespace
}  // namespace bartizan
