#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

namespace limits {
/// Files of one skill: what every host must take. Source: SEP-2640, "Limits".
inline constexpr std::size_t skill_files_max = 512;
}  // namespace limits

/// What a server says of one file of a skill.
struct SkillFile {
  std::string sha256;  ///< In lower-case hex.
  std::uint64_t bytes = 0;
};

/// The entry of a skill, as `skills/list` and `skills/get` have it.
/// Source: MCP extension io.modelcontextprotocol/skills (SEP-2640), "Skill Entries".
struct SkillEntry {
  /// Why no host may load it, in one of our own sentences; empty where it can be used.
  std::string_view flaw;
  /// Its content is made when it is asked for, so that nothing is promised of it.
  bool is_dynamic = false;
  /// By URI; all that it has, unless it is dynamic.
  std::map<std::string, SkillFile, std::less<>> files;
};

/// Cost: one pass. Bounded: `skill_files_max` files; an entry with more has a flaw.
SkillEntry read_skill_entry(JsonValue entry);

/// The URI of the skill's own file for a directory: `skill://a/b` has `skill://a/b/SKILL.md`.
std::string skill_uri(std::string_view directory);

}  // namespace bartizan
