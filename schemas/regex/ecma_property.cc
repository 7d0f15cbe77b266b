#include "schemas/regex/ecma_property.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <unicode/uchar.h>
#include <unicode/uset.h>

#include "schemas/regex/ecma_reader.h"

namespace bartizan {
namespace {

using Set = std::unique_ptr<USet, decltype(&uset_close)>;

/// The binary properties of ECMA 262; ICU knows more.
constexpr auto kBinaryProperties = std::to_array<UProperty>({
    UCHAR_ALPHABETIC,
    UCHAR_ASCII_HEX_DIGIT,
    UCHAR_BIDI_CONTROL,
    UCHAR_BIDI_MIRRORED,
    UCHAR_CASED,
    UCHAR_CASE_IGNORABLE,
    UCHAR_CHANGES_WHEN_CASEFOLDED,
    UCHAR_CHANGES_WHEN_CASEMAPPED,
    UCHAR_CHANGES_WHEN_LOWERCASED,
    UCHAR_CHANGES_WHEN_NFKC_CASEFOLDED,
    UCHAR_CHANGES_WHEN_TITLECASED,
    UCHAR_CHANGES_WHEN_UPPERCASED,
    UCHAR_DASH,
    UCHAR_DEFAULT_IGNORABLE_CODE_POINT,
    UCHAR_DEPRECATED,
    UCHAR_DIACRITIC,
    UCHAR_EMOJI,
    UCHAR_EMOJI_COMPONENT,
    UCHAR_EMOJI_MODIFIER,
    UCHAR_EMOJI_MODIFIER_BASE,
    UCHAR_EMOJI_PRESENTATION,
    UCHAR_EXTENDED_PICTOGRAPHIC,
    UCHAR_EXTENDER,
    UCHAR_GRAPHEME_BASE,
    UCHAR_GRAPHEME_EXTEND,
    UCHAR_HEX_DIGIT,
    UCHAR_IDEOGRAPHIC,
    UCHAR_IDS_BINARY_OPERATOR,
    UCHAR_IDS_TRINARY_OPERATOR,
    UCHAR_ID_CONTINUE,
    UCHAR_ID_START,
    UCHAR_JOIN_CONTROL,
    UCHAR_LOGICAL_ORDER_EXCEPTION,
    UCHAR_LOWERCASE,
    UCHAR_MATH,
    UCHAR_NONCHARACTER_CODE_POINT,
    UCHAR_PATTERN_SYNTAX,
    UCHAR_PATTERN_WHITE_SPACE,
    UCHAR_QUOTATION_MARK,
    UCHAR_RADICAL,
    UCHAR_REGIONAL_INDICATOR,
    UCHAR_S_TERM,
    UCHAR_SOFT_DOTTED,
    UCHAR_TERMINAL_PUNCTUATION,
    UCHAR_UNIFIED_IDEOGRAPH,
    UCHAR_UPPERCASE,
    UCHAR_VARIATION_SELECTOR,
    UCHAR_WHITE_SPACE,
    UCHAR_XID_CONTINUE,
    UCHAR_XID_START,
});

/// ICU accepts several spellings of names; this accepts the exact ones. There is a short name, a
/// long one, and at times a third, which ICU only numbers.
constexpr auto kNameChoices = std::to_array<UPropertyNameChoice>(
    {U_SHORT_PROPERTY_NAME, U_LONG_PROPERTY_NAME, U_PROPERTY_NAME_CHOICE_COUNT});

bool is_name_of(UProperty property, std::string_view name) {
  return std::ranges::any_of(kNameChoices, [&](UPropertyNameChoice choice) {
    const char* known = u_getPropertyName(property, choice);
    return known != nullptr && name == known;
  });
}

std::optional<std::int32_t> find_value(UProperty property, std::string_view name) {
  const std::int32_t value = u_getPropertyValueEnum(property, std::string(name).c_str());
  if (value == UCHAR_INVALID_CODE) return std::nullopt;
  const bool is_exact = std::ranges::any_of(kNameChoices, [&](UPropertyNameChoice choice) {
    const char* known = u_getPropertyValueName(property, value, choice);
    return known != nullptr && name == known;
  });
  return is_exact ? std::optional(value) : std::nullopt;
}

std::string members_of(USet& set, PropertySide side) {
  if (side == PropertySide::outside) uset_complement(&set);
  std::string members;
  for (std::int32_t i = 0; i < uset_getItemCount(&set); ++i) {
    UChar32 first = 0;
    UChar32 last = 0;
    UErrorCode error = U_ZERO_ERROR;
    // Some sets of ICU contain strings beside characters; these are longer than 0.
    if (uset_getItem(&set, i, &first, &last, nullptr, 0, &error) != 0) continue;
    members += re2_range(static_cast<char32_t>(first), static_cast<char32_t>(last));
  }
  return members;
}

std::optional<std::string> members_of_value(UProperty property, std::int32_t value,
                                            PropertySide side) {
  const Set set(uset_openEmpty(), uset_close);
  UErrorCode error = U_ZERO_ERROR;
  uset_applyIntPropertyValue(set.get(), property, value, &error);
  // Codes of ISO 15924 without characters in Unicode are not scripts of ECMA 262.
  if (U_FAILURE(error) || uset_isEmpty(set.get())) return std::nullopt;
  return members_of(*set, side);
}

std::optional<std::string> find_category(std::string_view name, PropertySide side) {
  const auto value = find_value(UCHAR_GENERAL_CATEGORY_MASK, name);
  if (!value.has_value()) return std::nullopt;
  constexpr std::int32_t kUnassigned = U_GC_CN_MASK;
  constexpr std::int32_t kCased = U_GC_LC_MASK;
  // RE2 cannot express unassigned characters and cased letters.
  if ((*value & kUnassigned) != 0 || *value == kCased) {
    return members_of_value(UCHAR_GENERAL_CATEGORY_MASK, *value, side);
  }
  const char* letters =
      u_getPropertyValueName(UCHAR_GENERAL_CATEGORY_MASK, *value, U_SHORT_PROPERTY_NAME);
  return (side == PropertySide::within ? "\\p{" : "\\P{") + std::string(letters) + "}";
}

std::optional<std::string> find_binary(std::string_view name, PropertySide side) {
  if (name == "Any") return side == PropertySide::within ? "\\x{0}-\\x{10ffff}" : "";
  if (name == "ASCII")
    return side == PropertySide::within ? "\\x{0}-\\x{7f}" : "\\x{80}-\\x{10ffff}";
  if (name == "Assigned") {
    return find_category(
        "Cn", side == PropertySide::within ? PropertySide::outside : PropertySide::within);
  }
  const auto found = std::ranges::find_if(
      kBinaryProperties, [name](UProperty property) { return is_name_of(property, name); });
  if (found == kBinaryProperties.end()) return std::nullopt;
  return members_of_value(*found, 1, side);
}

}  // namespace

std::optional<std::string> find_property_members(std::string_view expression, PropertySide side) {
  const std::size_t equals = expression.find('=');
  if (equals == std::string_view::npos) {
    auto members = find_category(expression, side);
    return members.has_value() ? members : find_binary(expression, side);
  }
  const std::string_view property = expression.substr(0, equals);
  const std::string_view name = expression.substr(equals + 1);
  if (property == "General_Category" || property == "gc") return find_category(name, side);
  const bool is_script = property == "Script" || property == "sc";
  if (!is_script && property != "Script_Extensions" && property != "scx") return std::nullopt;
  const auto script = find_value(UCHAR_SCRIPT, name);
  if (!script.has_value()) return std::nullopt;
  return members_of_value(is_script ? UCHAR_SCRIPT : UCHAR_SCRIPT_EXTENSIONS, *script, side);
}

bool begins_identifier(char32_t character) {
  return character == U'$' || character == U'_' ||
         u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_ID_START) != 0;
}

bool continues_identifier(char32_t character) {
  constexpr char32_t kNonJoiner = 0x200c;
  constexpr char32_t kJoiner = 0x200d;
  return character == U'$' || character == kNonJoiner || character == kJoiner ||
         u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_ID_CONTINUE) != 0;
}

}  // namespace bartizan
