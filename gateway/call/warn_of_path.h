#pragma once

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Logs a warning of a call that was refused for a path, where that was the reason: server, tool,
/// reason, decision and caller, never the path. A name that no server lists is left out.
///
/// Input: of a refusal that is recorded. Its quota bounds these lines, too: what goes beyond is
///        counted in a summary record.
void warn_of_path(const CallFrame& frame, Reason reason);

}  // namespace bartizan
