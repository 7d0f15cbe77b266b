#include "policy/check/check_skill.h"

#include <algorithm>
#include <array>
#include <optional>

#include "schemas/base/sha256.h"
#include "schemas/json/folded_name.h"
#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

/// What hosts read of a content: for some of them, in whatever case it is spelled.
constexpr std::array<std::string_view, 3> kRead{"uri", "text", "blob"};

/// The raw bytes of a content; nothing where it has none that can be read.
std::optional<std::string> bytes_of(JsonValue content) {
  const JsonValue text = content.find("text");
  const JsonValue blob = content.find("blob");
  // With both, hosts may take the one that was not looked at.
  if (static_cast<bool>(text) == static_cast<bool>(blob)) return std::nullopt;
  if (text)
    return text.is(JsonType::string) ? std::optional(std::string(text.text())) : std::nullopt;
  return blob.is(JsonType::string) ? decode_base64(blob.text()) : std::nullopt;
}

/// What of an answer is not that file.
std::string file_flaw(const SkillFile& listed, std::string_view uri, JsonValue result) {
  const JsonValue contents = result.find("contents");
  if (contents.size() != 1) return "the answer has not one content";
  const JsonValue content = *contents.begin();
  for (const JsonValue member : content) {
    const bool passes_for_one =
        std::ranges::any_of(kRead, [name = member.key()](std::string_view read) {
          return name != read && folds_alike(name, read);
        });
    if (passes_for_one) return "a member of the content is spelled like another";
  }
  if (content.find("uri").text() != uri) return "the content is of another file";
  const auto bytes = bytes_of(content);
  if (!bytes.has_value()) return "the content cannot be read";
  if (bytes->size() != listed.bytes) {
    return "the file has " + std::to_string(bytes->size()) + " bytes, and " +
           std::to_string(listed.bytes) + " are listed";
  }
  const std::string digest = sha256_hex(*bytes);
  if (digest != listed.sha256)
    return "the file is sha256:" + digest + ", and sha256:" + listed.sha256 + " is listed";
  return {};
}

std::string entry_flaw(const SkillEntry& skill, std::string_view uri, JsonValue result) {
  if (!skill.flaw.empty())
    return "the entry of the skill cannot be used: " + std::string(skill.flaw);
  if (skill.is_dynamic) return {};
  const auto listed = skill.files.find(uri);
  if (listed == skill.files.end()) return "the skill does not list the file";
  return file_flaw(listed->second, uri, result);
}

}  // namespace

std::string skill_flaw(const FindSkill& find, std::string_view uri, JsonValue result) {
  // Skills lie within others, whose files theirs are, too.
  for (std::size_t end = uri.find('/'); end != std::string_view::npos;
       end = uri.find('/', end + 1)) {
    const SkillEntry* skill = find(skill_uri(uri.substr(0, end)));
    if (skill == nullptr) continue;
    if (std::string flaw = entry_flaw(*skill, uri, result); !flaw.empty()) return flaw;
  }
  return {};
}

}  // namespace bartizan
