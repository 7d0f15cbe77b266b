#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// Escapes a text for the source of a manual page, including a dot or quote at the start of a line.
/// Source: groff(7), "Escapes"; man(7).
std::string man_text(std::string_view text);
/// One argument of a macro, escaped as by `man_text`. Blanks do not end it.
std::string man_word(std::string_view text);
/// The first lines of a page.
std::string man_head(std::string_view name, int section, std::string_view part);

}  // namespace bartizan
