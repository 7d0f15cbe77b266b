#pragma once

#include <cstdint>

namespace bartizan {

/// Where clients come from: an HTTP listener, or the process that started this one.
enum class Clients : std::uint8_t { over_http, over_stdio };

}  // namespace bartizan
