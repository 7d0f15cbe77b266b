#pragma once

#include "config/config.h"
#include "policy/learn_policy.h"

namespace bartizan {

/// A configuration with what was learned in the place of its permits.
Config with_learned(const Config& config, const LearnedPolicy& learned);

}  // namespace bartizan
