#pragma once

#include <cstddef>
#include <string_view>

namespace bartizan {

/// How many bytes an escape sequence has that begins there: ESC or the C1 control that stands for
/// it, parameters and all, to its end. A string that nothing ends is no more than what opens it: a
/// terminal would swallow all that follows, and whoever reads text would not. 0 where none begins.
///
/// Cost:   linear in what it answers, and in the text up to the next control.
/// Source: ECMA-48 §5.3 to §5.6; xterm's "Operating System Commands" end with BEL as well.
std::size_t terminal_escape_size(std::string_view text, std::size_t at);

}  // namespace bartizan
