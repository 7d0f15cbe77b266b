#pragma once

#include <string>
#include <string_view>

#include "policy/detector_id.h"

namespace bartizan {

/// What stands in the place of what a detector found: `[redacted:github.token]`; with more to tell
/// it by, `[redacted:github.token:MORE]`.
std::string redaction_mark(DetectorId detector, std::string_view more = {});

/// A text without the marks in it. What is in brackets and no mark of a detector's stays.
std::string without_redaction_marks(std::string_view text);

}  // namespace bartizan
