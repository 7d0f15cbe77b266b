#pragma once

#include <string_view>

#include "config/config.h"

namespace bartizan {

/// Whether every principal is shown the same entries of a server's lists under both configurations
/// (`Policy::shows`), as far as their text tells: false says only that something about it differs.
/// How names are exposed is another matter.
///
/// Cost: linear in rules, profiles, roles and principals; nothing is compiled.
bool has_same_view(const Config& one, const Config& other, std::string_view server);

}  // namespace bartizan
