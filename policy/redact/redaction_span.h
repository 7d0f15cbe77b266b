#pragma once

#include <span>
#include <vector>

#include "policy/detect/string_scanner.h"
#include "policy/redact/redaction_ruling.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Parts of one string that touch each other, and what is to be done with them.
struct RedactionSpan {
  FoundPart first;
  ByteRange part;
  RedactionAction action = RedactionAction::mask;
  DetectorId detector = 0;
};

/// What is to be taken out, by where it stands. Of parts that overlap, one: it bears the name of
/// the strongest, and of several such that of the first which says what was found.
std::vector<RedactionSpan> join_spans(std::span<const FoundPart> found,
                                      const std::vector<RedactionRuling>& rulings);

/// Takes the values that were found in a text that says what the structured content of `said` says
/// out of that, too. What has no name there may have one in the text: there a part of a string is
/// found by what stands around it, and a number is written in digits. Both say the same afterwards,
/// so each value is taken out as a whole, in the strongest way that is wanted for either.
void add_originals(JsonValue said, std::span<const FoundPart> found,
                   const std::vector<RedactionRuling>& rulings, std::vector<RedactionSpan>& spans);

}  // namespace bartizan
