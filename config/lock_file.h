#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/pinned_tool.h"
#include "config/position.h"
#include "config/problems.h"

namespace bartizan {

/// Reads a lock file: JSON, `{"version": 1, "servers": {SERVER: {"tools": {TOOL: {"approval":
/// "person" | "first_use", "definition": {…}}}}}}`, a definition as the server lists it.
/// Errors: reported at `where`, the place that names the file, with the line and column, or the
///         pointer, within it; nothing of such a file is kept.
PinnedTools parse_lock_file(std::string_view bytes, const std::string& path, Position where,
                            Problems& problems);

/// The definitions of a lock file, as JSON, by `server/tool`; of one that was read before, and has
/// nothing wrong.
std::map<std::string, std::string> pinned_definitions(std::string_view bytes);

}  // namespace bartizan
