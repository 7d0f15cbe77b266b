#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// What approvers are shown of a call, on many lines: all that clients and servers worded is
/// `printable`, and whole. Input: as `shown_call` makes it, or null once the call is decided.
std::string shown_call_text(JsonValue call);

}  // namespace bartizan
