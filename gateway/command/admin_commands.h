#pragma once

#include <functional>
#include <string>

#include "gateway/command/command_registrations.h"
#include "gateway/command/command_release.h"
#include "gateway/command/command_revoke.h"
#include "gateway/review/command_output.h"

namespace CLI {
class App;
}

namespace bartizan {

/// The options of the commands that control a running gateway.
struct AdminCommands {
  ReleaseOptions release;
  RevokeOptions revoke;
  LiftOptions lift;
  std::string revocations_config;
  RegistrationsOptions registrations;
};

/// Adds `release`, `revoke`, `block`, `revocations`, `lift` and `registrations` to the command
/// line. Each fills `commands`, and sets `action` to its work.
///
/// Lifetime: all arguments outlive the parsing of the command line, and `action`.
void add_admin_commands(CLI::App& app, AdminCommands& commands, CommandOutput& output,
                        std::function<int()>& action);

}  // namespace bartizan
