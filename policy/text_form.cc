#include "policy/text_form.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "schemas/json_text.h"
#include "schemas/limits.h"
#include "schemas/schema_pattern.h"

namespace bartizan {
namespace {

constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TextForm::TextForm(const TextPredicate& text)
    : min_length_(text.min_length),
      max_length_(text.max_length.value_or(kNoBound)),
      has_pattern_(!text.matches.empty()) {
  if (!has_pattern_) return;
  auto compiled = compile_re2_pattern(text.matches, limits::schema_pattern_bytes_max);
  if (compiled.has_value()) pattern_ = std::move(*compiled);
}

bool TextForm::has_length(std::string_view text) const {
  return !is_shorter(text, min_length_) && !is_longer(text, max_length_);
}

Reason TextForm::judge(JsonValue value, StepBudget& steps) const {
  if (!value.is(JsonType::string)) return Reason::argument_wrong_type;
  const std::string_view text = value.text();
  // Lengths first: they bound what the pattern reads.
  if (!has_length(text)) return Reason::argument_not_allowed;
  if (!has_pattern_) return Reason::none;
  if (!pattern_.has_value()) return Reason::argument_undecidable;
  if (!steps.take(match_steps(*pattern_, text.size()))) return Reason::argument_undecidable;
  return is_match(*pattern_, text) ? Reason::none : Reason::argument_not_allowed;
}

}  // namespace bartizan
