#pragma once

#include <string>
#include <vector>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Values of arguments for the record of a decision.
struct RecordedArguments {
  /// `/path "/etc/passwd"`: the pointer of each value and its JSON.
  std::vector<std::string> texts;
  std::vector<Redacted> redacted;  ///< What was found in the arguments, and is not in the texts.
};

/// The values that profiles of the tool want recorded (`record = ["/path"]`). All arguments are
/// redacted together, as records are, since detectors go by the names around a value. A pointer
/// that selects several values has a text for each; one that selects nothing has none. Input:   a
/// call with its target. Bounded: by the first `kItemsMax` values, which the record cuts to
/// `kArgumentMax` each. Cost:    nothing where no profile asks for it.
RecordedArguments recorded_arguments(const CallFrame& frame);

}  // namespace bartizan
