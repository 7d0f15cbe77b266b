#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/verdict/gathered_facts.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Writes the gathered facts of a call for a capture, as a JSON array; empty for no facts.
std::string write_facts(std::span<const GatheredFact> facts);

/// Reads the output of `write_facts`. Entries that are not valid facts are left out.
std::vector<GatheredFact> read_facts(JsonValue facts);

/// The answer to a question, from facts that were gathered for another policy; nothing if they do
/// not answer it. A place is known below the root that was asked for, and below every folder of
/// that root, unless a link led there.
std::optional<Finding> answer_from(std::span<const GatheredFact> facts, const FactQuery& question);

}  // namespace bartizan
