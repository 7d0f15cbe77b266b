#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "config/risk.h"

namespace bartizan {

/// Whether the effects of a tool's calls can be undone. Order matters: the highest of several
/// counts.
enum class Reversibility : std::uint8_t {
  reversible,   ///< By another call.
  recoverable,  ///< By people, such as from a backup.
  irreversible
};

/// The spellings of `reversibility`.
inline constexpr std::array<std::pair<std::string_view, Reversibility>, 3> kReversibilityNames{
    {{"reversible", Reversibility::reversible},
     {"recoverable", Reversibility::recoverable},
     {"irreversible", Reversibility::irreversible}}};

/// How much harm a call can do, as far as it is classified.
struct CallClass {
  std::optional<Risk> risk = {};
  std::optional<Reversibility> reversibility = {};

  bool empty() const { return !risk && !reversibility; }
  bool operator==(const CallClass&) const = default;
};

/// The higher value of each member. Any value is higher than none.
inline CallClass higher(const CallClass& one, const CallClass& other) {
  return {.risk = std::max(one.risk, other.risk),
          .reversibility = std::max(one.reversibility, other.reversibility)};
}

}  // namespace bartizan
