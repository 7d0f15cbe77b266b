#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A text of a client's or server's as a terminal or a form may have it: what is no printable ASCII
/// as `\u{200b}`. Whole: what somebody approves must have been shown.
/// Input: any bytes; what is no UTF-8 is `\u{fffd}`. Cost: linear.
std::string printable(std::string_view text);

}  // namespace bartizan
