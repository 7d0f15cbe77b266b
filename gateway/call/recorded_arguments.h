#pragma once

#include <string>
#include <vector>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Values of arguments for the record of a decision.
struct RecordedArguments {
  /// `/path "/etc/passwd"`: the pointer of each value and its JSON.
  std::vector<std::string> texts;
  std::vector<Redacted> redacted;  ///< The findings in the arguments, which the texts do not have.
};

/// The values that profiles of the tool record (`record = ["/path"]`). All arguments are redacted
/// together, as records are, since detectors use the names around a value. A pointer that selects
/// several values has a text for each; one that selects nothing has none.
///
/// Input:   a call with its target.
/// Bounded: by the first `kItemsMax` values, which the record cuts to `kArgumentMax` each.
/// Cost:    nothing if no profile records values.
RecordedArguments recorded_arguments(const CallFrame& frame);

}  // namespace bartizan
