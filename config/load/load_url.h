#pragma once

#include "config/config.h"
#include "config/table_reader.h"

namespace bartizan {

/// The conditions on URLs in a table: `[url.NAME]`, or the inline table of a predicate.
/// Errors: reported at their places. `find_policy_problems` checks the patterns of hosts, because
///         it knows how hosts are read.
UrlForm load_url_form(TableReader& table);

}  // namespace bartizan
