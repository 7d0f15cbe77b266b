#pragma once

#include <string>
#include <string_view>

#include "gateway/console/console_pages.h"

namespace bartizan {

// What the pages of the console are built of. Names of ours, and checked ones, alone come in as
// they are.

/// What stands in front of a page's content. Input: `head`, further elements of `<head>`.
std::string page_begin(std::string_view title, std::string_view head = {});

inline constexpr std::string_view kPageEnd = "</main>\n</body>\n</html>\n";

/// The pages that the reader may see, who is signed in, and the way out. Input: `current`, the path
/// of the page.
std::string banner(std::string_view current, const PageReader& reader);

/// The main part of a page that has nothing but it.
inline constexpr std::string_view kBareBegin =
    "<header><p class=\"brand\">Bartizan</p></header>\n<main id=\"content\" tabindex=\"-1\" "
    "class=\"narrow\">\n";

std::string hidden_field(std::string_view name, std::string_view value);

/// A row of a `<dl>`. Input: `html` as it is.
std::string row(std::string_view name, std::string_view html);

}  // namespace bartizan
