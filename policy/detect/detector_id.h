#pragma once

#include <string_view>

#include "policy/detect/detector.h"

namespace bartizan {

/// The number of a detector that exists; a name that does not is a mistake of ours and ends the
/// process.
DetectorId detector_id(std::string_view name);

}  // namespace bartizan
