#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/pinned_tool.h"
#include "config/position.h"
#include "config/problems.h"

namespace bartizan {

/// What a lock file holds.
struct LockFile {
  PinnedTools tools = {};
  PinnedExecutables executables = {};
};

/// Reads a lock file: JSON, `{"version": 1, "servers": {SERVER: {"tools": {TOOL: {"approval":
/// "person" | "first_use", "definition": {…}}}, "executables": {PATH: SHA-256}}}}`, a definition as
/// the server lists it, a path absolute, a digest in lower-case hex. One of the two may be missing.
/// Errors: reported at `where`, the place that names the file, with the line and column, or the
///         pointer, within it; nothing of such a file is kept.
LockFile parse_lock_file(std::string_view bytes, const std::string& path, Position where,
                         Problems& problems);

/// The definitions of a lock file, as JSON, by `server/tool`; of one that was read before, and has
/// nothing wrong.
std::map<std::string, std::string> pinned_definitions(std::string_view bytes);

}  // namespace bartizan
