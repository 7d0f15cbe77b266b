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

/// `text = { min_length, max_length, matches, classes }`: lengths in code points, the pattern in
/// RE2's syntax and of the whole value. What `compact` asks was done before.
class TextForm {
 public:
  /// The loader has compiled the pattern before; one that fails now lets nothing pass.
  explicit TextForm(const TextPredicate& text);

  /// `none`, or why the value is refused. What the pattern costs is taken from `steps`; without
  /// enough of them nothing can be decided.
  Reason judge(JsonValue value, StepBudget& steps) const;

 private:
  bool has_length(std::string_view text) const;
  bool has_classes(std::string_view text) const;

  std::uint64_t min_length_ = 0;
  std::uint64_t max_length_ = 0;
  std::uint32_t categories_ = 0;    ///< A bit for each of Unicode's that a character may have.
  std::string control_characters_;  ///< That may be there all the same.
  bool has_classes_ = false;
  bool has_pattern_ = false;
  std::optional<CompiledPattern> pattern_;
};

}  // namespace bartizan
