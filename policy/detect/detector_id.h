#pragma once

#include <string_view>

#include "policy/detect/detector.h"

namespace bartizan {

/// Returns the number of a built-in detector. An unknown name is a bug and ends the process.
DetectorId detector_id(std::string_view name);

}  // namespace bartizan
