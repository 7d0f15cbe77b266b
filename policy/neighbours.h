#pragma once

#include <functional>
#include <span>

#include "schemas/json.h"

namespace bartizan {

/// Texts that somebody may join, in the order of the message; false from whoever has seen enough.
using VisitNeighbours = std::function<bool(std::span<const JsonValue> texts)>;

/// Calls `visit` with the texts that the elements of a list say, for each list of a message with
/// two and more: once with all of them, and where others are among them, once with the blocks of
/// type `text` alone, which is what many clients show. What says no text does not part its
/// neighbours.
///
/// Cost:   three passes over the message at most.
/// Source: MCP 2025-11-25, schema, "TextContent", "PromptMessage", "SamplingMessage",
///         "EmbeddedResource", "TextResourceContents".
void visit_neighbours(JsonValue message, const VisitNeighbours& visit);

}  // namespace bartizan
