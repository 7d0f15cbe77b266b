#pragma once

#include <cstddef>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/message/method.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// Where values begin in a message, in order.
using Offsets = std::vector<std::size_t>;

bool holds(const Offsets& places, JsonValue value);

/// The request that a message answers. A message that answers none, or of which nobody knows what
/// it answers, has `unknown`.
struct Answered {
  MethodId method = MethodId::unknown;
  Era era = Era::legacy;  ///< In which it was asked.
};

/// The values that nobody may rewrite, whatever is in them:
///
/// - what means something only as it was said, because it comes back or names a request:
///   `nextCursor` of an answer to a request for a list, `requestState` of what asks the client in
///   the modern era, ids and tokens of requests, progress, cancellations and tasks;
/// - `data` and `blob` that are base64, begin as files of exactly their MIME type do, and are no
///   text.
///
/// A server may give any other member such a name, and any text such a type.
///
/// Input:  `said`, the part of the message that says something.
/// Cost:   one pass over the message.
/// Source: MCP 2025-11-25, "Pagination", "Progress", schema, "ImageContent", "AudioContent",
///         "BlobResourceContents"; MCP 2026-07-28, "Multi round-trip requests".
Offsets opaque_values(JsonValue message, JsonValue said, const Answered& answered = {});

}  // namespace bartizan
