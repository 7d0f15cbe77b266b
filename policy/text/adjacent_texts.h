#pragma once

#include <functional>
#include <span>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Texts that somebody may join, in the order of the message; false from whoever has seen enough.
using VisitNeighbours = std::function<bool(std::span<const JsonValue> texts)>;

/// Calls `visit` with the texts that the elements of a list say, for each list of a message with
/// two and more: once with all of them, and where others are among them, once more for each way
/// in which clients show less: blocks of types that the protocol has, and texts alone, with those
/// of no type and without. What says no text does not part its neighbours, and what an element says
/// beside the text that the protocol gives it is shown by nobody. Elements that are strings say
/// themselves; they alone have no name.
///
/// Cost:   a few passes over the lists of the message.
/// Source: MCP 2025-11-25, schema, "TextContent", "PromptMessage", "SamplingMessage",
///         "EmbeddedResource", "TextResourceContents".
void visit_neighbours(JsonValue message, const VisitNeighbours& visit);

/// What the elements of a list say, in the way of whoever leaves out nothing.
std::vector<JsonValue> texts_of(JsonValue list);

}  // namespace bartizan
