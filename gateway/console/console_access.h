#pragma once

#include <cstdint>
#include <string_view>

#include "gateway/worker/worker.h"

namespace bartizan {

/// What somebody may see of the console, least first.
enum class ConsoleAccess : std::uint8_t {
  none,
  approvals,   ///< Calls that wait for people, as far as they are the reader's to decide, or own.
  everything,  ///< Who has one of `[console] roles`.
};

/// What a principal may see under a configuration: everything with one of its `[console] roles`,
/// approvals where some rule or flow names it as an approver.
ConsoleAccess console_access(const Snapshot& snapshot, const Principal& principal);

/// The page where somebody begins.
std::string_view home_of(ConsoleAccess access);

/// Whom an API key proves. The only place where the console looks at a key: the tokens that clients
/// of MCP were given for their calls prove nobody here.
Task<Authentication> prove_console_key(Loop& loop, SnapshotPtr snapshot, std::string_view key,
                                       std::string_view peer);

}  // namespace bartizan
