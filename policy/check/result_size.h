#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether members can be base64, as those of content blocks are.
enum class Media : std::uint8_t { as_base64, as_text };
/// Whether a text of several lines counts as these.
enum class Texts : std::uint8_t { count_nothing, count_lines };

/// The decoded bytes of a value, names included. JSON bounds the depth.
std::uint64_t decoded_size(JsonValue value, Media media);

/// The entries of a value. An element counts as the entries in it, and at least as one. So a table
/// counts as its cells and a tree as its leaves, and nesting hides nothing.
std::uint64_t count_entries(JsonValue value, Texts texts);

/// The depth of nested objects and arrays: 0 for any other value.
std::uint64_t depth_of(JsonValue value);

}  // namespace bartizan
