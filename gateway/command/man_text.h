#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Text as a source file of a manual page has it: signs that mean something there are escaped, also
/// a dot or a quote at the beginning of a line. Source: groff(7), "Escapes"; man(7).
std::string man_text(std::string_view text);
/// One argument of a macro, escaped as `man_text`: blanks do not end it.
std::string man_word(std::string_view text);
/// The first lines of a page.
std::string man_head(std::string_view name, int section, std::string_view part);

}  // namespace bartizan
