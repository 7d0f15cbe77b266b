#pragma once

#include <optional>
#include <string_view>

#include "policy/verdict/reason.h"

namespace bartizan {

/// The reason of that stable code, or nothing.
std::optional<Reason> find_reason(std::string_view code);

}  // namespace bartizan
