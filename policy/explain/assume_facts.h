#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/verdict/gathered_facts.h"

namespace bartizan {

/// The answers worth a try to what a predicate asks of the world outside, the likeliest first, by
/// the names that descriptions of calls have for them: `places`, `contents`, `addresses`. None
/// where it asks nothing.
std::map<std::string, std::vector<std::string>> outside_edges(const Config& config,
                                                              const Predicate& predicate);
/// Whether that is the name of such facts.
bool is_outside_fact(const std::string& name);

/// Describes a call with an answer to a question, of those in `values`, by such names. As it was
/// where these have none.
DescribedFacts with_answer(DescribedFacts facts, const FactQuery& question,
                           const std::map<std::string, std::string>& values);

}  // namespace bartizan
