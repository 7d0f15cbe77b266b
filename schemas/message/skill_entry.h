#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

namespace limits {
/// Files of one skill that every host must accept. Source: SEP-2640, "Limits".
inline constexpr std::size_t skill_files_max = 512;
}  // namespace limits

/// A server's description of one file of a skill.
struct SkillFile {
  std::string sha256;  ///< In lower-case hex.
  std::uint64_t bytes = 0;
};

/// The entry of a skill in `skills/list` and `skills/get`.
/// Source: MCP extension io.modelcontextprotocol/skills (SEP-2640), "Skill Entries".
struct SkillEntry {
  /// Why no host may load it, as a sentence of the gateway. Empty if it can be used.
  std::string_view flaw;
  /// Its content is generated on request, so the entry does not describe it.
  bool is_dynamic = false;
  /// By URI; all of its files, unless it is dynamic.
  std::map<std::string, SkillFile, std::less<>> files;
};

/// Reads the entry of a skill.
/// Cost:    one pass.
/// Bounded: `skill_files_max` files; an entry with more has a flaw.
SkillEntry read_skill_entry(JsonValue entry);

/// The URI of the skill's own file for a directory: `skill://a/b` has `skill://a/b/SKILL.md`.
std::string skill_uri(std::string_view directory);

}  // namespace bartizan
