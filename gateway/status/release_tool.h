#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// One definition of one tool, by its fingerprint.
struct ReleasedTool {
  std::string server;
  std::string tool;
  std::string fingerprint;
};

/// Who orders something, as the record has it. Over the admin socket a user id is all that is
/// known.
struct Operator {
  std::string source;          ///< `uid:N`, or `ip:port`.
  std::string_view transport;  ///< `admin` or `console`; of static storage.
  std::string principal = {};  ///< Empty where nobody was proved.
  std::vector<std::string> roles = {};
  std::string proof = {};  ///< `api_key:NAME`.
};

/// What became of an order to release something.
struct ReleaseAnswer {
  enum class Kind : std::uint8_t { released, not_listed, not_recordable } kind = Kind::released;
  std::string why = {};  ///< Why not, in a sentence; empty where it was released.
};

/// Takes exactly that definition out of quarantine, for everybody, until the process ends. It is on
/// record, with who ordered it, before it is taken; what cannot be recorded is not released.
///
/// Threads: those of `asking`, the control loop.
Task<ReleaseAnswer> release_definition(Loop& asking, Gateway& gateway, ReleasedTool wanted,
                                       Operator by);

}  // namespace bartizan
