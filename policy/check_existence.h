#pragma once

#include "policy/call.h"
#include "policy/decision.h"

namespace bartizan {

/// Is the called tool there, and not quarantined? Stands behind `access`, so that a principal
/// without a rule learns nothing about what exists.
Decision check_existence(const Call& call);

}  // namespace bartizan
