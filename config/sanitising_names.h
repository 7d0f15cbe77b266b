#pragma once

#include <string_view>

#include "config/sanitising.h"

namespace bartizan {

/// As `hidden` and `markup` write them.
std::string_view text(HiddenText hidden);
std::string_view text(ActiveMarkup markup);

}  // namespace bartizan
