#pragma once

#include <cstdint>
#include <string_view>

#include "gateway/worker/worker.h"

namespace bartizan {

/// The access of a principal to the console, least first.
enum class ConsoleAccess : std::uint8_t {
  none,
  approvals,   ///< Waiting calls that the reader may decide or has made.
  everything,  ///< For principals with one of `[console] roles`.
};

/// The access of a principal under a configuration: everything with one of its `[console] roles`;
/// approvals if a rule or flow names it as an approver.
ConsoleAccess console_access(const Snapshot& snapshot, const Principal& principal);

/// The first page for that access.
std::string_view home_of(ConsoleAccess access);

/// Authenticates an API key. This is the only place where the console accepts a key. The tokens
/// that MCP clients have for their calls are not accepted here.
Task<Authentication> prove_console_key(Loop& loop, SnapshotPtr snapshot, std::string_view key,
                                       std::string_view peer);

}  // namespace bartizan
