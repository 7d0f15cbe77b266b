#pragma once

#include <string>
#include <vector>

#include "gateway/setup/groundhog_settings.h"

namespace bartizan {

/// The gateway's configuration for what a Groundhog configuration says. What that cannot say stands
/// at the end, as lines to be taken out of their comments. Until then nobody can come in.
std::string write_converted(const GroundhogSettings& settings);

/// What the operator has to know and to do beside it, a sentence each.
std::vector<std::string> conversion_notes(const GroundhogSettings& settings);

}  // namespace bartizan
