#pragma once

#include <string>
#include <string_view>

#include "gateway/console/console_pages.h"

namespace bartizan {

// The parts of the console's pages. Only the gateway's own names and checked names are inserted
// unescaped.

/// The part of a page before its content. Input: `head`, further elements of `<head>`.
std::string page_begin(std::string_view title, std::string_view head = {});

inline constexpr std::string_view kPageEnd = "</main>\n</body>\n</html>\n";

/// The pages that the reader may see, the reader's name, and the sign-out. Input: `current`, the
/// path of the page.
std::string banner(std::string_view current, const PageReader& reader);

/// The main part of a page without a banner.
inline constexpr std::string_view kBareBegin =
    "<header><p class=\"brand\">Bartizan</p></header>\n<main id=\"content\" tabindex=\"-1\" "
    "class=\"narrow\">\n";

std::string hidden_field(std::string_view name, std::string_view value);

/// A row of a `<dl>`. Input: `html`, inserted unescaped.
std::string row(std::string_view name, std::string_view html);

}  // namespace bartizan
