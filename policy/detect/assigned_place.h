#pragma once

#include <string_view>

#include "policy/detect/assigned_value.h"
#include "policy/detect/scan_text.h"

namespace bartizan {

/// Whether the surroundings show that text with the form of an assignment is not an assignment. It
/// may be the result of a test (`PASS: suite/case-1`), a part of a path with colons
/// (`arn:…:secret:NAME`, `functions:secrets:access`), adjacent strings of a list, or a variable of
/// a program (`'token': token2,`).
///
/// Input: the result of `read_assigned`, and the judged part of its value.
/// Cost:  at most 512 bytes around the name. The value is read once or twice.
bool is_no_assignment(ScanText& text, const Assignment& assigned, std::string_view value);

}  // namespace bartizan
