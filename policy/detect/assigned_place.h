#pragma once

#include <string_view>

#include "policy/detect/assigned_value.h"
#include "policy/detect/scan_text.h"

namespace bartizan {

/// Whether what is written like an assignment is none, as far as its surroundings tell: the result
/// of a test (`PASS: suite/case-1`), a part of a path with colons (`arn:…:secret:NAME`,
/// `functions:secrets:access`), strings that only stand beside each other in a list, or a variable
/// of a program (`'token': token2,`).
///
/// Input: what `read_assigned` found, and as much of its value as is judged.
/// Cost:  at most 512 bytes around the name, and the value once or twice.
bool is_no_assignment(ScanText& text, const Assignment& assigned, std::string_view value);

}  // namespace bartizan
