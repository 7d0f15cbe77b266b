#pragma once

#include <functional>
#include <span>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Takes texts that a client may join, in the order of the message. Returns false to stop.
using VisitNeighbours = std::function<bool(std::span<const JsonValue> texts)>;

/// Calls `visit` with the texts of the elements of each list with at least two elements. The first
/// call has all of them. Further calls have those of clients that show less: only blocks of the
/// protocol's types, or only text blocks, with or without those of no type. An element without text
/// does not separate its neighbours. Of an element, only the text that the protocol shows counts.
/// String elements are texts themselves; only they have no name.
///
/// Cost:   a few passes over the lists of the message.
/// Source: MCP 2025-11-25, schema, "TextContent", "PromptMessage", "SamplingMessage",
///         "EmbeddedResource", "TextResourceContents".
void visit_neighbours(JsonValue message, const VisitNeighbours& visit);

/// Returns all texts of the elements of a list.
std::vector<JsonValue> texts_of(JsonValue list);

}  // namespace bartizan
