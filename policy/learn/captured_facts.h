#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/verdict/gathered_facts.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What was found out for a call as a capture keeps it, a JSON array; empty for nothing.
std::string write_facts(std::span<const GatheredFact> facts);

/// Reads what `write_facts` wrote. What is no such fact is left out.
std::vector<GatheredFact> read_facts(JsonValue facts);

/// The answer to a question, from what was found out for another policy; nothing where that cannot
/// tell. A place is known below the root that was asked for, and below every folder of it, unless a
/// link led there.
std::optional<Finding> answer_from(std::span<const GatheredFact> facts, const FactQuery& question);

}  // namespace bartizan
