#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// What a table says of URLs: `[url.NAME]`, or the one that a predicate has in its place.
/// Errors: reported where they stand. Whether a pattern of hosts is one, `find_policy_problems`
///         says, which knows how hosts are read.
UrlForm load_url_form(TableReader& table);

}  // namespace bartizan
