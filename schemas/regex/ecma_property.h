#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The selected characters: those with a property, or all others.
enum class PropertySide : bool { outside, within };

/// The characters of `\p{expression}`, or of `\P{expression}`, as RE2 writes them between the
/// brackets of a class. The text is empty if there are no such characters. Nothing if ECMA 262 does
/// not have the property, or if it is newer than the Unicode version of the linked ICU.
///
/// Names are compared exactly, as in ECMA 262: `\p{letter}` is not a property.
///
/// Cost:   general categories are named, as in RE2. Other properties are expanded, to at most 20
///         kB.
/// Source: ECMA 262 §22.2.1.9 and tables 69 to 71.
std::optional<std::string> find_property_members(std::string_view expression, PropertySide side);

/// Whether a character may begin a group's name, and whether it may continue one. Source: ECMA 262
/// §12.7.
bool begins_identifier(char32_t character);
bool continues_identifier(char32_t character);

}  // namespace bartizan
