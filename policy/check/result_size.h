#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/json/json.h"

namespace bartizan {

/// Whether members can be base64, as those of content blocks are.
enum class Media : std::uint8_t { as_base64, as_text };
/// Whether a text of several lines counts as these.
enum class Texts : std::uint8_t { count_nothing, count_lines };

/// The bytes of all that a value says, names included, once decoded. JSON bounds the depth.
std::uint64_t decoded_size(JsonValue value, Media media);

/// The entries of a value: an element counts as what it holds, and at least as one: a table as its
/// cells, a tree as its leaves, so that nesting hides nothing.
std::uint64_t count_entries(JsonValue value, Texts texts);

/// How many objects and arrays stand one in another: 0 for what is neither.
std::uint64_t depth_of(JsonValue value);

}  // namespace bartizan
