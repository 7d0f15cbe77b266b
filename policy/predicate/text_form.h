#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "policy/verdict/reason.h"
#include "schemas/json/json.h"
#include "schemas/json/json_equal.h"
#include "schemas/schema/schema_program.h"

namespace bartizan {

/// `text = { min_length, max_length, matches, classes }`. Lengths are in code points. The pattern
/// has RE2's syntax and must match the whole value. `compact` was applied before.
class TextForm {
 public:
  /// The loader has compiled the pattern before. If it fails to compile now, no value passes.
  explicit TextForm(const TextPredicate& text);

  /// `none`, or the reason of the refusal. The cost of the pattern is taken from `steps`; without
  /// enough of them the answer is undecidable.
  Reason judge(JsonValue value, StepBudget& steps) const;

 private:
  bool has_length(std::string_view text) const;
  bool has_classes(std::string_view text) const;

  std::uint64_t min_length_ = 0;
  std::uint64_t max_length_ = 0;
  std::uint32_t categories_ = 0;    ///< A bit for each allowed Unicode category.
  std::string control_characters_;  ///< Allowed all the same.
  bool has_classes_ = false;
  bool has_pattern_ = false;
  std::optional<CompiledPattern> pattern_;
};

}  // namespace bartizan
