#pragma once

#include <cstddef>
#include <vector>

#include "schemas/json/json.h"

namespace bartizan {

/// Where values begin in a message, in order.
using Places = std::vector<std::size_t>;

bool holds(const Places& places, JsonValue value);

/// The values that nobody may rewrite, whatever is in them: what means something only as it was
/// said, as it comes back from the client or names its request, where messages of that kind have
/// it; and media in base64 that begin as files of their MIME type do, in which no text is. `said`
/// is the part of the message that says something.
///
/// Cost:   one pass over the message.
/// Source: MCP 2025-11-25, "Pagination", "Progress", schema, "ImageContent", "AudioContent",
///         "BlobResourceContents"; MCP 2026-07-28, "Multi round-trip requests".
Places left_alone(JsonValue message, JsonValue said);

}  // namespace bartizan
