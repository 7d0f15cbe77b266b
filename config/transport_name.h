#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "config/fact_condition.h"

namespace bartizan {

/// How a transport is written.
inline constexpr std::array<std::pair<std::string_view, Transport>, 2> kTransportNames{
    {{"http", Transport::http}, {"stdio", Transport::stdio}}};

}  // namespace bartizan
