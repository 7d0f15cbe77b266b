#include "schemas/message/skill_entry.h"

#include <algorithm>
#include <optional>

namespace bartizan {
namespace {

constexpr std::string_view kOwnFile = "/SKILL.md";
constexpr std::string_view kDigest = "sha256:";
constexpr std::size_t kHexDigits = 64;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

std::optional<SkillFile> read_file(JsonValue file) {
  std::string_view digest = file.find("digest").text();
  if (!digest.starts_with(kDigest)) return std::nullopt;
  digest.remove_prefix(kDigest.size());
  if (digest.size() != kHexDigits || !std::ranges::all_of(digest, is_hex)) return std::nullopt;
  const auto size = file.find("size").integer();
  if (!size.has_value() || *size < 0) return std::nullopt;
  return SkillFile{.sha256 = std::string(digest), .bytes = static_cast<std::uint64_t>(*size)};
}

SkillEntry flawed(std::string_view why) {
  return {.flaw = why, .is_dynamic = false, .files = {}};
}

}  // namespace

std::string skill_uri(std::string_view directory) {
  return std::string(directory).append(kOwnFile);
}

SkillEntry read_skill_entry(JsonValue entry) {
  const std::string_view uri = entry.find("uri").text();
  if (!uri.ends_with(kOwnFile)) return flawed("its uri is not that of a SKILL.md");
  const std::string_view directory = uri.substr(0, uri.size() - kOwnFile.size() + 1);
  const JsonValue files = entry.find("resources");
  SkillEntry skill;
  if (files.text() == "dynamic") {
    skill.is_dynamic = true;
    return skill;
  }
  if (!files.is(JsonType::array)) return flawed("it lists no files");
  for (const JsonValue file : files) {
    if (skill.files.size() == limits::skill_files_max) return flawed("it has more than 512 files");
    const std::string_view own = file.find("uri").text();
    if (!own.starts_with(directory)) return flawed("it lists a file outside of its directory");
    auto read = read_file(file);
    if (!read.has_value()) return flawed("it lists a file without digest or size");
    if (!skill.files.emplace(own, std::move(*read)).second) return flawed("it lists a file twice");
  }
  if (!skill.files.contains(uri)) return flawed("it does not list its own SKILL.md");
  return skill;
}

}  // namespace bartizan
