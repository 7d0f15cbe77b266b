#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// How much a person should mind what was found in a definition of a tool, or what changed in it.
enum class FindingSeverity : std::uint8_t { low, medium, high };

/// `low`, `medium`, `high`.
std::string_view text(FindingSeverity severity);

}  // namespace bartizan
