#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schemas/json/json.h"
#include "schemas/message/skill_entry.h"

namespace bartizan {

/// The listed entry of the skill whose SKILL.md has that URI; null if there is none.
using FindSkill = std::function<const SkillEntry*(std::string_view uri)>;

/// How a resource differs from what the skills around it list of it. Empty if it does not differ,
/// or if it is in no skill.
///
/// Input: `uri`, the server's own; `result`, of `resources/read`, as the server sent it.
/// Cost:  a digest of the content where there is such a skill; a look-up for each `/` otherwise.
/// Source: SEP-2640, "Verification on Read", "The Acting Window and the Held Entry".
std::string skill_flaw(const FindSkill& find, std::string_view uri, JsonValue result);

}  // namespace bartizan
