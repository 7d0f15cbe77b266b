#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// The pointer from `root` to a value below it; empty for the root and for what is elsewhere.
/// Cost: one visit to the members on the way.
std::string pointer_to(JsonValue root, JsonValue value);

/// A pointer for records and sentences: one that is longer than `limits::schema_pointer_bytes_max`
/// ends there, and in an ellipsis.
std::string cut_pointer(std::string pointer);

}  // namespace bartizan
