#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_rules.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What becomes of one part: the strongest of what rules want.
struct RedactionRuling {
  std::optional<RedactionAction> action;  ///< Nothing where no rule takes it out.
  const RedactionRule* rule = nullptr;    ///< The first that wants that.
  bool is_kept = false;                   ///< By an exception of a rule that is about it.

  void add(const RedactionRule& by) {
    if (action.has_value() && *action >= by.action) return;
    action = by.action;
    rule = &by;
  }
};

/// Adds what one rule wants of each part that was found. What it keeps, it keeps with all that lies
/// within: a part of what an exception names is what it names.
///
/// Input: `found` in order, so that a part that holds another comes first; `said`, which pointers
///        lead into. A ruling for each part.
void add_rulings(const RedactionRule& rule, const RedactionScope& scope, JsonValue said,
                 std::span<const FoundPart> found, std::vector<RedactionRuling>& rulings);

}  // namespace bartizan
