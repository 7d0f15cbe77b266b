#pragma once

#include <chrono>
#include <memory>

#include "gateway/framing/message_wire.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/random.h"
#include "gateway/upstream/server_definition.h"

namespace bartizan {

/// Connects to a server over a two-way connection: HTTP+SSE of 2024-11-05, a WebSocket, TCP or a
/// Unix socket. HTTP requests carry the configured credentials and headers.
///
/// Lifetime: loop, budget and random outlive the wire.
/// Errors:   io_failed, timed_out; server_failed if the server violates the protocol.
/// Source:   RFC 6455 §4.1; MCP 2024-11-05, basic/transports, "HTTP with SSE".
Task<Result<std::shared_ptr<MessageWire>>> open_server_wire(Loop& loop, MemoryBudget& memory,
                                                            Random& random,
                                                            ServerDefinitionPtr definition,
                                                            std::chrono::milliseconds wait);

}  // namespace bartizan
