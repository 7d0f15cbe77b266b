#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/json/json.h"

namespace bartizan {

/// The bytes of a text that one step reads.
inline constexpr std::size_t kBytesPerStep = 64;

/// The work that one validation may still do.
struct StepBudget {
  std::uint64_t left;

  /// Takes `steps` from the budget. False if no more than `steps` are left, and in all later calls.
  bool take(std::uint64_t steps = 1) {
    const bool is_enough = left > steps;
    left = is_enough ? left - steps : 0;
    return is_enough;
  }
  bool is_spent() const { return left == 0; }
};

/// Whether two values are equal by JSON Schema. Numbers are compared by their exact value, strings
/// by their characters, and arrays in order. The order of members is ignored. Also false once the
/// budget is spent.
///
/// Cost:   one step for each compared value.
/// Source: JSON Schema 2020-12 Core §4.2.2.
bool is_equal(JsonValue left, JsonValue right, StepBudget& budget);

/// Whether no two elements of an array are equal. Also false once the budget is spent.
///
/// Cost: few elements are compared in pairs. Many are sorted by a hash that respects equality,
///       which allocates.
bool has_unique_elements(JsonValue array, StepBudget& budget);

}  // namespace bartizan
