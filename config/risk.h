#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace bartizan {

/// How much harm a call of a tool can do. Order matters: of several profiles the highest counts.
enum class Risk : std::uint8_t { low, medium, high, critical };

/// The spellings of `risk`.
inline constexpr std::array<std::pair<std::string_view, Risk>, 4> kRiskNames{
    {{"low", Risk::low},
     {"medium", Risk::medium},
     {"high", Risk::high},
     {"critical", Risk::critical}}};

constexpr std::string_view text(Risk risk) {
  return kRiskNames.at(static_cast<std::size_t>(risk)).first;
}

}  // namespace bartizan
