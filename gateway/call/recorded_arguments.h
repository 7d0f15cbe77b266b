#pragma once

#include <string>
#include <vector>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// The values that profiles of the tool want recorded (`record = ["/path"]`), redacted as records
/// are: `/path "/etc/passwd"`, with the pointer of each and its JSON. A pointer that selects
/// several values has a text for each; one that selects nothing has none.
/// Input:   a call with its target.
/// Bounded: by the first `kItemsMax` values, which the record cuts to `kArgumentMax` each.
/// Cost:    nothing where no profile asks for it.
std::vector<std::string> recorded_arguments(const CallFrame& frame);

}  // namespace bartizan
