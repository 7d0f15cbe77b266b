#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// The severity of a finding in a definition of a tool, or of a change of it.
enum class FindingSeverity : std::uint8_t { low, medium, high };

/// `low`, `medium`, `high`.
std::string_view text(FindingSeverity severity);

}  // namespace bartizan
