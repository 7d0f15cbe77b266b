#pragma once

#include <string>

#include "policy/learn/learn_policy.h"

namespace bartizan {

/// The learned policy as a file that a configuration includes instead of its permits. Comments have
/// only counts, never data of the capture. Names and values of callers are written as strings.
///
/// Input: any names and values of a capture.
std::string write_learned(const LearnedPolicy& learned);

}  // namespace bartizan
