#pragma once

#include <string>

#include "gateway/catalogue/catalogue.h"

namespace bartizan {

/// Logs and counts the flaws of a fetched list: entries that are unusable under any policy,
/// repeated names, and a repeated cursor. Flaws that `before`, the replaced list, also has are left
/// out. Tools with flawed schemas are logged if the schemas were compiled for this list. A server
/// may list thousands, so the log has only the first ones and their number.
void report_unusable_tools(Loop& loop, const std::string& server, ListKind kind,
                           const ServerList& list, const ServerList* before);

}  // namespace bartizan
