#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/process/switch_user.h"

namespace bartizan {

/// All data that a keeper needs to start a server's program. The gateway sends it to the keeper as
/// bytes in an unnamed file. No process in between must parse it.
struct LaunchPlan {
  std::string program = {};                   ///< Absolute path of the file.
  std::vector<std::string> arguments = {};    ///< All of argv.
  std::vector<std::string> environment = {};  ///< `NAME=VALUE`, the whole environment.
  std::string cwd = {};                       ///< Empty: the gateway's own.
  std::optional<Account> account = {};        ///< The account of `sandbox.user`, if it differs.
  SandboxConfig sandbox = {};
  /// A descriptor comes with the plan, and is executed instead of the present file at the path.
  bool has_image = false;
  /// Whether the program is executed. A probe does everything before that.
  enum class Purpose : std::uint8_t { run, probe } purpose = Purpose::run;
};

/// Encodes the plan, for this machine only.
std::string encode_plan(const LaunchPlan& plan);

/// Nothing if the bytes are not a plan.
std::optional<LaunchPlan> decode_plan(std::string_view bytes);

}  // namespace bartizan
