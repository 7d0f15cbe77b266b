#pragma once

#include <cstddef>
#include <string_view>

namespace bartizan {

/// The length of the escape sequence at a place, from ESC or its C1 control to the end, with
/// parameters. 0 if there is none. For a string without an end, only its opening counts. A terminal
/// would swallow all that follows, but a reader of text would not.
///
/// Cost:   linear in the result, and in the text up to the next control.
/// Source: ECMA-48 §5.3 to §5.6; xterm's "Operating System Commands" end with BEL as well.
std::size_t terminal_escape_size(std::string_view text, std::size_t at);

}  // namespace bartizan
