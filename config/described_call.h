#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fact_condition.h"
#include "config/position.h"
#include "schemas/method.h"
#include "schemas/protocol_version.h"

namespace bartizan {

/// What a description says of a call beside its message. What it does not say is not known.
struct DescribedFacts {
  std::optional<std::int64_t> time = {};  ///< Seconds since 1970 UTC.
  std::optional<Transport> transport = {};
  std::optional<std::string> client_address = {};
  std::optional<ProtocolVersion> revision = {};
  /// Principals, each of whom approved exactly this call when it was made.
  std::vector<std::string> approved_by = {};
};

/// A call as people write it down, to ask what a policy makes of it: there is no client, and no
/// server runs.
struct DescribedCall {
  std::string principal = {};           ///< Of the policy; or else it is somebody who has …
  std::vector<std::string> roles = {};  ///< … exactly these roles, sorted.
  TargetKind target_kind = TargetKind::none;
  std::string server = {};  ///< Of the target; empty where there is none.
  std::string target = {};  ///< The tool's or prompt's own name, or the resource's URI.
  std::string method = {};
  std::string arguments = {};  ///< A JSON object; empty for none.
  std::string params = {};     ///< The same, of a method without target.
  DescribedFacts facts = {};
  Position where = {};
};

/// What servers list of a tool, as JSON; by `server/tool`.
struct DescribedTool {
  std::string entry = {};
  Position where = {};
};

}  // namespace bartizan
