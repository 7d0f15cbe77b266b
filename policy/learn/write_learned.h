#pragma once

#include <string>

#include "policy/learn/learn_policy.h"

namespace bartizan {

/// What was learned as a file that a configuration includes, in the place of its permits. Counts
/// stand in comments, and nothing of the capture does: names and values of callers are strings.
///
/// Input: a capture's names and values, whatever they are.
std::string write_learned(const LearnedPolicy& learned);

}  // namespace bartizan
