#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does a request about tasks come from a client that declares their extension, and does
/// `tasks/get`, `tasks/update` or `tasks/cancel` name a task of the caller's own? Silent about
/// everything else. The tasks of 2025-11-25 are another protocol, which nobody is offered.
/// Errors: client_capability_missing, task_unknown, method_not_found.
/// Source: MCP extension io.modelcontextprotocol/tasks, "Protocol Errors", "Security
///         Considerations".
Decision check_task(const Call& call);

}  // namespace bartizan
