#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/status/status_server.h"
#include "gateway/worker/worker.h"

namespace bartizan {

/// An operator's order over the admin socket: the requested `path`, and the `peer` that sent it.
struct AdminOrder {
  std::string path;
  std::string peer;  ///< `uid:N`
};

/// `/api/release/SERVER/TOOL/FINGERPRINT`: takes exactly that definition out of quarantine, for all
/// callers, until the process ends. It is recorded before it takes effect. Lists are then requested
/// again, and clients are notified of the change.
///
/// Answers 200; 404 for a path that names no tool, 405 for another one; 409 with the reason if the
/// server did not list that definition; 503 if it cannot be recorded, and then nothing is released.
/// Threads: those of `asking`, the control loop.
Task<StatusPage> release_tool(Loop& asking, Gateway& gateway, AdminOrder order);

/// One definition of one tool, by its fingerprint.
struct ReleasedTool {
  std::string server;
  std::string tool;
  std::string fingerprint;
};

/// The author of an order, for the record. Over the admin socket only the user id is known.
struct Operator {
  std::string source;          ///< `uid:N`, or `ip:port`.
  std::string_view transport;  ///< `admin` or `console`; of static storage.
  std::string principal = {};  ///< Empty without authentication.
  std::vector<std::string> roles = {};
  std::string proof = {};  ///< `api_key:NAME`.
};

/// The result of a release.
struct ReleaseAnswer {
  enum class Kind : std::uint8_t { released, not_listed, not_recordable } kind = Kind::released;
  std::string why = {};  ///< The reason for a failure, as a sentence; empty after success.
};

/// Takes exactly that definition out of quarantine, for all callers, until the process ends. It is
/// recorded with its operator before it takes effect. If it cannot be recorded, it is not released.
///
/// Threads: those of `asking`, the control loop.
Task<ReleaseAnswer> release_definition(Loop& asking, Gateway& gateway, ReleasedTool wanted,
                                       Operator by);

}  // namespace bartizan
