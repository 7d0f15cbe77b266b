#pragma once

#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"

namespace bartizan {

/// Does the client of a request about tasks declare their extension? Does `tasks/get`,
/// `tasks/update` or `tasks/cancel` name a task of the caller? Passes all other messages. The tasks
/// of 2025-11-25 are another protocol, which no client is offered.
/// Errors: client_capability_missing, task_unknown, method_not_found.
/// Source: MCP extension io.modelcontextprotocol/tasks, "Protocol Errors", "Security
///         Considerations".
Decision check_task(const Call& call);

}  // namespace bartizan
