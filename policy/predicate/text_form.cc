#include "policy/predicate/text_form.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <unicode/uchar.h>

#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {
namespace {

constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

/// Unicode's categories of a class, one bit each; without those for single characters.
std::uint32_t categories_of(CharacterClass one) {
  switch (one) {
    case CharacterClass::letters:
      return U_GC_L_MASK | U_GC_M_MASK;
    case CharacterClass::digits:
      return U_GC_ND_MASK;
    case CharacterClass::punctuation:
      return U_GC_P_MASK;
    case CharacterClass::symbols:
      return U_GC_S_MASK;
    case CharacterClass::spaces:
      return U_GC_ZS_MASK;
    case CharacterClass::tabs:
    case CharacterClass::line_ends:
      break;
  }
  return 0;
}

std::string_view control_characters_of(CharacterClass one) {
  if (one == CharacterClass::tabs) return "\t";
  return one == CharacterClass::line_ends ? "\n\r" : "";
}

}  // namespace

TextForm::TextForm(const TextPredicate& text)
    : min_length_(text.min_length),
      max_length_(text.max_length.value_or(kNoBound)),
      has_classes_(!text.classes.empty()),
      has_pattern_(!text.matches.empty()) {
  for (const CharacterClass one : text.classes) {
    categories_ |= categories_of(one);
    control_characters_ += control_characters_of(one);
  }
  if (!has_pattern_) return;
  // A dot matches any character. Otherwise a line feed at the end of a text would evade a rule.
  auto compiled = compile_re2_pattern("(?s)" + text.matches, limits::schema_pattern_bytes_max);
  if (compiled.has_value()) pattern_ = std::move(*compiled);
}

bool TextForm::has_length(std::string_view text) const {
  return !is_shorter(text, min_length_) && !is_longer(text, max_length_);
}

bool TextForm::has_classes(std::string_view text) const {
  if (!has_classes_) return true;
  while (!text.empty()) {
    const Utf8Character character = read_utf8(text);
    if (character.size == 0) return false;
    const auto code = static_cast<UChar32>(character.value);
    const bool is_named =
        (U_GET_GC_MASK(code) & categories_) != 0 || control_characters_.contains(text.front());
    if (!is_named) return false;
    text.remove_prefix(character.size);
  }
  return true;
}

Reason TextForm::judge(JsonValue value, StepBudget& steps) const {
  if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
  const std::string_view text = value.text();
  // Lengths first: they bound the text for the pattern.
  if (!has_length(text)) return Reason::argument_not_allowed;
  if (!has_classes(text)) return Reason::argument_not_allowed;
  if (!has_pattern_) return Reason::none;
  if (!pattern_.has_value()) return Reason::argument_undecidable;
  if (!steps.take(match_steps(*pattern_, text.size()))) return Reason::argument_undecidable;
  return is_match(*pattern_, text) ? Reason::none : Reason::argument_not_allowed;
}

}  // namespace bartizan
