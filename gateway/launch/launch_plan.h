#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/process/switch_user.h"

namespace bartizan {

/// Everything that a keeper needs to start a server's program. The gateway makes it; it goes to the
/// keeper as bytes in a file without a name, so that no process in between has to read it.
struct LaunchPlan {
  std::string program = {};                   ///< Absolute path of the file.
  std::vector<std::string> arguments = {};    ///< All of argv.
  std::vector<std::string> environment = {};  ///< `NAME=VALUE`, all of it.
  std::string cwd = {};                       ///< Empty: the gateway's own.
  std::optional<Account> account = {};        ///< Of `sandbox.user`, where it is another one.
  SandboxConfig sandbox = {};
  /// A descriptor comes with the plan, and is executed instead of what the path leads to by then.
  bool has_image = false;
  /// Whether the program is executed. A probe does all that comes before.
  enum class Purpose : std::uint8_t { run, probe } purpose = Purpose::run;
};

/// The plan as bytes, for this machine only.
std::string encode_plan(const LaunchPlan& plan);

/// Nothing where the bytes are no plan.
std::optional<LaunchPlan> decode_plan(std::string_view bytes);

}  // namespace bartizan
