#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "config/config.h"

namespace bartizan {

inline constexpr std::array<std::pair<std::string_view, ToolLabel>, 4> kToolLabels{
    {{"untrusted", ToolLabel::untrusted},
     {"private", ToolLabel::private_data},
     {"public_sink", ToolLabel::public_sink},
     {"destructive", ToolLabel::destructive}}};

}  // namespace bartizan
