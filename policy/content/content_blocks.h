#pragma once

#include "schemas/json/json.h"

namespace bartizan {

/// Visits each block of content in a value: one block, or a list of them. Values that are not
/// objects are skipped.
///
/// Source: MCP 2025-11-25, schema, "ContentBlock", "SamplingMessage".
template <class Visit>
void visit_blocks(JsonValue blocks, Visit&& visit) {
  if (blocks.is(JsonType::object)) return visit(blocks);
  if (!blocks.is(JsonType::array)) return;
  for (const JsonValue block : blocks) {
    if (block.is(JsonType::object)) visit(block);
  }
}

/// Visits each block of content of each message in a list, such as the messages of a prompt or of a
/// sampling request.
template <class Visit>
void visit_message_blocks(JsonValue messages, Visit&& visit) {
  if (!messages.is(JsonType::array)) return;
  for (const JsonValue message : messages)
    visit_blocks(message.find("content"), visit);
}

}  // namespace bartizan
