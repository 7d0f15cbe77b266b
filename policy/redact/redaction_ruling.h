#pragma once

#include <optional>
#include <span>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_rules.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The decision about one part: the strongest action of the rules.
struct RedactionRuling {
  std::optional<RedactionAction> action;  ///< Nothing if no rule redacts it.
  const RedactionRule* rule = nullptr;    ///< The first rule with that action.
  bool is_kept = false;                   ///< By an exception of a rule about it.

  void add(const RedactionRule& by) {
    if (action.has_value() && *action >= by.action) return;
    action = by.action;
    rule = &by;
  }
};

/// Adds the decision of one rule about each part. If an exception keeps a part, it also keeps the
/// parts inside it.
///
/// Input: `found` in order, so that a part comes before the parts inside it. `said` is the root of
///        pointers. `rulings` has one entry for each part.
void add_rulings(const RedactionRule& rule, const RedactionScope& scope, JsonValue said,
                 std::span<const FoundPart> found, std::vector<RedactionRuling>& rulings);

}  // namespace bartizan
