#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// How a canonical form spells numbers: as the text does, or such that 1, 1.0 and 10e-1 are alike.
/// `by_value` compares whole numbers to nineteen digits, and all others as IEEE 754 doubles:
/// numbers that are the same to most readers are the same. `exact` compares all digits, however
/// many. RFC 8785 uses doubles, which take 9007199254740993 for 9007199254740992.
enum class NumberForm : std::uint8_t { as_spelled, by_value, exact };

/// One spelling for all texts of equal meaning: members are sorted by name, there is no white
/// space, and strings are escaped minimally. Empty for an absent value.
///
/// Cost: a copy of the value, and a sort of each object's members.
std::string canonical_json(JsonValue value, NumberForm numbers);

/// The canonical form (`canonical_json`) of an object that has exactly these members.
std::string canonical_object(std::vector<JsonValue> members, NumberForm numbers);

/// The canonical form (`canonical_json`) of a value without the parts that these JSON pointers
/// select. Pointers that select nothing are ignored.
std::string canonical_json_without(JsonValue value, std::span<const std::string> pointers,
                                   NumberForm numbers);

}  // namespace bartizan
