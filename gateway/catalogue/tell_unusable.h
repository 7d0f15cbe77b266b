#pragma once

#include <string>
#include <string_view>

#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// Why nobody can use either of two entries; the metric tells it apart.
inline constexpr std::string_view kNameTwice = "its name comes twice";

/// Logs and counts what a list has that nobody can use whatever policy says, unless `before`, the
/// list that this one replaces, had it already; and tools whose schemas cannot be used as they are,
/// if they were compiled for this list. A server may list thousands; of so many the log has the
/// first ones and their number.
void tell_unusable(Loop& loop, const std::string& server, ListKind kind, const ServerList& list,
                   const ServerList* before);

}  // namespace bartizan
