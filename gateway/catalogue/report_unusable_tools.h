#pragma once

#include <string>

#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// Logs and counts what a list has that nobody can use whatever policy says, unless `before`, the
/// list that this one replaces, had it already; names that it has twice, and that it goes in a
/// circle, in the same way; and tools whose schemas cannot be used as they are,
/// if they were compiled for this list. A server may list thousands; of so many the log has the
/// first ones and their number.
void report_unusable_tools(Loop& loop, const std::string& server, ListKind kind,
                           const ServerList& list, const ServerList* before);

}  // namespace bartizan
