#pragma once

#include <cstdint>

namespace bartizan {

/// Where clients come from: a listener, or the one that started this process.
enum class Clients : std::uint8_t { over_http, over_stdio };

}  // namespace bartizan
