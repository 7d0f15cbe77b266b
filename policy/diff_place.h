#pragma once

#include <string>

#include "config/config.h"
#include "policy/diff_policies.h"
#include "policy/diff_targets.h"

namespace bartizan {

/// What of both configurations made a change, as `file:line:column`: what a profile asks of the
/// argument or the place or form that it names, the rule, a role or a principal of the first
/// caller, `[policy]`. Of the newer one, or of the older where it is gone; empty where none of
/// these differs.
std::string place_of_change(const Config& older, const Config& newer, const DiffTarget& target,
                            const PolicyChange& change);

}  // namespace bartizan
