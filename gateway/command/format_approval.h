#pragma once

#include <string>

#include "schemas/json/json.h"

namespace bartizan {

// Requests for approval as text for a terminal. Words of clients and servers are made `printable`,
// without cuts. Input: objects of the console's `/api/approvals`.

/// The request as a line of a list: `ID  pending  ann  files/write  (rule writes)  ends …`.
std::string approval_line(JsonValue approval);

/// The whole request, on several lines.
std::string approval_text(JsonValue approval);

}  // namespace bartizan
