#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schemas/json/json.h"
#include "schemas/message/skill_entry.h"

namespace bartizan {

/// The entry that a server lists of the skill whose SKILL.md has that URI; null where it has none.
using FindSkill = std::function<const SkillEntry*(std::string_view uri)>;

/// What of a resource that was read is not what the skills in whose directories it lies say of it;
/// empty where nothing is, and for what lies in no skill.
///
/// Input: `uri`, the server's own; `result`, of `resources/read`, as the server sent it.
/// Cost:  a digest of the content where there is such a skill; a look-up for each `/` otherwise.
/// Source: SEP-2640, "Verification on Read", "The Acting Window and the Held Entry".
std::string skill_flaw(const FindSkill& find, std::string_view uri, JsonValue result);

}  // namespace bartizan
