#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/json/json.h"

namespace bartizan {

/// So many bytes of a text cost a step to read.
inline constexpr std::size_t kBytesPerStep = 64;

/// How much work one validation may still do.
struct StepBudget {
  std::uint64_t left;

  /// False, from then on for ever, once no more is left than is asked for.
  bool take(std::uint64_t steps = 1) {
    const bool is_enough = left > steps;
    left = is_enough ? left - steps : 0;
    return is_enough;
  }
  bool is_spent() const { return left == 0; }
};

/// Whether two values are equal as JSON Schema has it: numbers by their exact value, strings by
/// their characters, arrays in order, objects whatever the order of their members. False, too, once
/// the budget is spent.
///
/// Cost:   a step for each value that is compared.
/// Source: JSON Schema 2020-12 Core §4.2.2.
bool is_equal(JsonValue left, JsonValue right, StepBudget& budget);

/// Whether no two elements of an array are equal. False, too, once the budget is spent.
///
/// Cost: pairs of few elements are compared at once; many are sorted by what their equality
///       respects, which allocates.
bool has_unique_elements(JsonValue array, StepBudget& budget);

}  // namespace bartizan
