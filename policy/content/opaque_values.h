#pragma once

#include <cstddef>
#include <vector>

#include "schemas/json/json.h"
#include "schemas/message/method.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

/// Begins of values in a message, in order.
using Offsets = std::vector<std::size_t>;

bool holds(const Offsets& places, JsonValue value);

/// The request that a message answers; `unknown` if it answers none, or the request is not known.
struct Answered {
  MethodId method = MethodId::unknown;
  Era era = Era::legacy;  ///< The era of the request.
};

/// The values that must not be rewritten, whatever their contents:
///
/// - values that are sent back or name a request: `nextCursor` in the answer to a list request,
///   `requestState` in a result that asks the client in the modern era, ids and tokens of requests,
///   progress, cancellations and tasks;
/// - `data` and `blob` that are base64, begin as files of exactly their MIME type, and are not
///   text.
///
/// A server may use these names for other members, and these types for any text. They are not
/// opaque there.
///
/// Input:  `said`, the payload of the message.
/// Cost:   one pass over the message.
/// Source: MCP 2025-11-25, "Pagination", "Progress", schema, "ImageContent", "AudioContent",
///         "BlobResourceContents"; MCP 2026-07-28, "Multi round-trip requests".
Offsets opaque_values(JsonValue message, JsonValue said, const Answered& answered = {});

}  // namespace bartizan
