#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/risk.h"

namespace bartizan {

/// Whether what a call of a tool does can be undone. Order matters: of several the highest counts.
enum class Reversibility : std::uint8_t {
  reversible,   ///< By another call.
  recoverable,  ///< By people, such as from a backup.
  irreversible
};

/// How `reversibility` is written.
inline constexpr std::array<std::pair<std::string_view, Reversibility>, 3> kReversibilityNames{
    {{"reversible", Reversibility::reversible},
     {"recoverable", Reversibility::recoverable},
     {"irreversible", Reversibility::irreversible}}};

/// How much harm a call can do, as far as somebody says.
struct CallClass {
  std::optional<Risk> risk = {};
  std::optional<Reversibility> reversibility = {};

  bool empty() const { return !risk && !reversibility; }
  bool operator==(const CallClass&) const = default;
};

/// The higher of both, each by itself. What is said is higher than what is not.
inline CallClass higher(const CallClass& one, const CallClass& other) {
  return {.risk = std::max(one.risk, other.risk),
          .reversibility = std::max(one.reversibility, other.reversibility)};
}

}  // namespace bartizan
