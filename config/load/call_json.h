#pragma once

#include <string>

#include "config/described_call.h"

namespace bartizan {

/// The call as `bartizan explain` reads it: one JSON object.
std::string call_json(const DescribedCall& call);

}  // namespace bartizan
