#pragma once

#include <cstdint>
#include <string>

#include "gateway/command_output.h"

namespace bartizan {

/// What `bartizan check` looks at.
struct CheckOptions {
  std::string file;
  /// Whether servers are started, and what they have is held against the policy.
  enum class Servers : std::uint8_t { leave, ask } servers = Servers::leave;
};

/// `bartizan check FILE`: everything that is wrong or doubtful with a configuration and its
/// policy, in one go. Answers kExitDone where the gateway would start with it, warnings or not.
int check_configuration(const CheckOptions& options, const CommandOutput& output);

}  // namespace bartizan
