#pragma once

#include <span>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_ruling.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Overlapping parts of one string, and the action for them.
struct RedactionSpan {
  FoundPart first;
  ByteRange part;
  RedactionAction action = RedactionAction::mask;
  DetectorId detector = 0;
};

/// Returns the parts to redact, in the order of the text. Overlapping parts are joined. The joined
/// part has the strongest action, and the detector of the first part with it. A detector that
/// recognises the value itself takes precedence over one that recognises its name.
std::vector<RedactionSpan> join_spans(std::span<const FoundPart> found,
                                      const std::vector<RedactionRuling>& rulings);

/// Redacts values in the structured content of `said` that were found in its text copy. A value
/// without a telling name there may have one in the text. In the text, a match may be a part of a
/// string, and a number is a text. Each value is therefore redacted as a whole, with the stronger
/// action of both, so that both copies agree.
void add_originals(JsonValue said, std::span<const FoundPart> found,
                   const std::vector<RedactionRuling>& rulings, std::vector<RedactionSpan>& spans);

}  // namespace bartizan
