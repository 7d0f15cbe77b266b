#pragma once

#include <string_view>

#include "config/sanitising.h"

namespace bartizan {

/// The values as `hidden`, `markup` and `injection` spell them.
std::string_view text(HiddenText hidden);
std::string_view text(ActiveMarkup markup);
std::string_view text(InjectionScreen injection);

}  // namespace bartizan
