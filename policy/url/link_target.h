#pragma once

#include <functional>
#include <string_view>

#include "policy/url/url_host.h"

namespace bartizan {

/// Whether links may lead to a host.
using LinkFilter = std::function<bool(const UrlHost& host)>;

/// Whether a Markdown link with the target that begins there can do nothing but lead within the
/// page, or to a host that it may: entities, escapes, tabs and newlines within are read as browsers
/// read them. One that does not end before the next link begins is not harmless.
/// Cost:   linear up to where the target ends.
/// Source: CommonMark 0.31, "Links"; WHATWG URL §4.4.
bool is_harmless_target(std::string_view text, const LinkFilter& may_lead_to);

/// Whether what begins there, behind a `<`, is a link in Markdown that is not harmless. Only of
/// schemes that are known to do something: in code `<std::string>` has the same form.
bool is_active_autolink(std::string_view text, const LinkFilter& may_lead_to);

/// Whether a text begins as a URL that runs code or carries a page, in any spelling.
bool is_script_url(std::string_view text);

}  // namespace bartizan
