#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// Which characters are meant: those that have a property, or the others.
enum class PropertySide : bool { outside, within };

/// The characters of `\p{expression}`, or of `\P{expression}`, as RE2 writes them
/// between the brackets of a class; empty where there is none. Nothing where ECMA 262 has no such
/// property, or it came after the Unicode version of the ICU that we link.
///
/// Names are compared exactly, as ECMA 262 does: `\p{letter}` is none.
///
/// Cost:   general categories are named, as RE2 does; other properties are written out, in up to
///         20 kB.
/// Source: ECMA 262 §22.2.1.9 and tables 69 to 71.
std::optional<std::string> find_property_members(std::string_view expression, PropertySide side);

/// What a group's name may begin with, and what it goes on with. Source: ECMA 262 §12.7.
bool begins_identifier(char32_t character);
bool continues_identifier(char32_t character);

}  // namespace bartizan
