#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "gateway/call/call_frame.h"

namespace bartizan {

/// Handles the elements of a 2025-03-26 batch, each as a call of its own. When the last has ended,
/// it ends the exchange with the array of responses, or with nothing if no element needs one.
///
/// Input:   `shared` is what the elements have in common; its own message is empty.
/// Threads: the session's home worker.
/// Source:  MCP 2025-03-26, basic, "Batching"; JSON-RPC 2.0 §6.
void handle_batch(Worker& worker, Inbound shared, std::vector<ReceivedMessage> elements,
                  std::shared_ptr<Exchange> exchange);

/// Reads the elements of a batch: 1 to 64 messages of the legacy era, none of which begins a
/// session.
/// Errors: invalid_request, with the id of the element where one could be read.
std::expected<std::vector<ReceivedMessage>, RefusedMessage> read_batch(
    Loop& loop, JsonValue array, ClientConfig::NullMembers null_members);

}  // namespace bartizan
