#pragma once

#include <string>
#include <string_view>

#include "gateway/status/status_server.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// What an operator orders over the admin socket; `path` as it was asked for, `peer` who asks.
struct AdminOrder {
  std::string path;
  std::string peer;  ///< `uid:N`
};

/// `/api/release/SERVER/TOOL/FINGERPRINT`: takes exactly that definition out of quarantine, for
/// everybody, until the process ends. It is on record before it is taken, lists are asked for
/// again, and clients are told that they changed.
///
/// Answers 200; 404 for a path that names no tool, 405 for another one; 409 where the server did
/// not list that definition, with why; 503 where it cannot be recorded, and then nothing is
/// released. Threads: those of `asking`, the control loop.
Task<StatusPage> release_tool(Loop& asking, Gateway& gateway, AdminOrder order);

}  // namespace bartizan
