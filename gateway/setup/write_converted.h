#pragma once

#include <string>
#include <vector>

#include "gateway/setup/groundhog_settings.h"

namespace bartizan {

/// The gateway's configuration for a Groundhog configuration. Settings without a source are
/// commented lines at the end, for the operator to complete. Until then no client can connect.
std::string write_converted(const GroundhogSettings& settings);

/// Notes and tasks for the operator, one sentence each.
std::vector<std::string> conversion_notes(const GroundhogSettings& settings);

}  // namespace bartizan
