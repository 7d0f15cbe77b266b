#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/described_call.h"
#include "policy/verdict/gathered_facts.h"

namespace bartizan {

/// The answers to try for what a predicate asks of the disk and of DNS, the likeliest first. Keys
/// are the names of such facts in descriptions of calls: `places`, `contents`, `addresses`. Empty
/// if the predicate asks nothing.
std::map<std::string, std::vector<std::string>> outside_edges(const Config& config,
                                                              const Predicate& predicate);
/// Whether that is the name of such facts.
bool is_outside_fact(const std::string& name);

/// Adds to the description of a call an answer to a question, from `values` by such names.
/// Unchanged if `values` has no answer.
DescribedFacts with_answer(DescribedFacts facts, const FactQuery& question,
                           const std::map<std::string, std::string>& values);

}  // namespace bartizan
