#pragma once

#include <string>

#include "config/described_call.h"

namespace bartizan {

/// The call as one JSON object, in the form that `bartizan explain` reads.
std::string call_json(const DescribedCall& call);

}  // namespace bartizan
