#pragma once

#include <functional>
#include <string_view>

#include "policy/url/url_host.h"

namespace bartizan {

/// Whether links may lead to a host.
using LinkFilter = std::function<bool(const UrlHost& host)>;

/// Whether a Markdown link with the target at the start of the text is harmless. It leads within
/// the page, or to an allowed host. Entities, escapes, tabs and newlines are read as browsers read
/// them. A target that does not end before the next link is not harmless.
/// Cost:   linear up to the end of the target.
/// Source: CommonMark 0.31, "Links"; WHATWG URL §4.4.
bool is_harmless_target(std::string_view text, const LinkFilter& may_lead_to);

/// Whether the text after a `<` is a Markdown autolink that is not harmless. Only schemes that are
/// known to act count, as `<std::string>` in code has the same form.
bool is_active_autolink(std::string_view text, const LinkFilter& may_lead_to);

/// Whether a text begins as a URL that runs code or contains a page, in any spelling.
bool is_script_url(std::string_view text);

}  // namespace bartizan
