#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// How a canonical form spells numbers: as the text does, or so that 1, 1.0 and 10e-1 are alike.
/// By value, whole numbers are told apart to nineteen digits, and all others as IEEE 754 doubles
/// have them: what most readers take for one number is one. Exactly, two numbers are alike only
/// where all of their digits say the same, however many there are: RFC 8785 goes by doubles, which
/// take 9007199254740993 for 9007199254740992.
enum class NumberForm : std::uint8_t { as_spelled, by_value, exact };

/// One spelling for all texts that say the same: members sorted by name, no white space, strings
/// re-escaped minimally. Empty for an absent value.
///
/// Cost: a copy of the value, and a sort of each object's members.
std::string canonical_json(JsonValue value, NumberForm numbers);

/// The canonical form (`canonical_json`) of an object that has these members only.
std::string canonical_object(std::vector<JsonValue> members, NumberForm numbers);

/// The canonical form (`canonical_json`) of a value without what these JSON pointers select in it.
/// A pointer that selects nothing leaves out nothing.
std::string canonical_json_without(JsonValue value, std::span<const std::string> pointers,
                                   NumberForm numbers);

}  // namespace bartizan
