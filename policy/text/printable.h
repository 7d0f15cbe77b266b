#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A text of a client or server for a terminal or a form. Everything but printable ASCII is written
/// as `\u{200b}`. It is never shortened, as an approver must see the whole text.
/// Input: any bytes; invalid UTF-8 is `\u{fffd}`.
/// Cost:  linear.
std::string printable(std::string_view text);

}  // namespace bartizan
