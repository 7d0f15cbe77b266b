#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// The pointer from `root` to a value below it. Empty for the root and for values elsewhere.
/// Cost: one visit to the members on the way.
std::string pointer_to(JsonValue root, JsonValue value);

/// Shortens a pointer for records and messages. A pointer longer than
/// `limits::schema_pointer_bytes_max` is cut there and ends in an ellipsis.
std::string cut_pointer(std::string pointer);

}  // namespace bartizan
