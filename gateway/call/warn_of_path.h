#pragma once

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Logs a warning if a call was refused for a path: server, tool, reason, decision and caller,
/// never the path. A name that no server lists is left out.
///
/// Input: a recorded refusal. Its quota bounds these lines too. Further ones are counted in a
///        summary record.
void warn_of_path(const CallFrame& frame, Reason reason);

}  // namespace bartizan
