#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

/// The call as approvers see it, on many lines. All texts of clients and servers are `printable`,
/// and whole. Input: the result of `shown_call`, or null after the decision.
std::string shown_call_text(JsonValue call);

}  // namespace bartizan
