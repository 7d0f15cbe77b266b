#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

// Requests for approval, as a terminal may have them: all that clients and servers worded is
// `printable`, and whole. Input: as the console's `/api/approvals` answers.

/// A line of a list: `ID  pending  ann  files/write  (rule writes)  ends …`.
std::string approval_line(JsonValue approval);

/// All of one request, on many lines.
std::string approval_text(JsonValue approval);

}  // namespace bartizan
