#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

/// What this machine lacks of what a configuration names: programs in the PATH that the server
/// gets, folders, secrets, certificate and key, the record's place, a part of a server's sandbox,
/// files that servers are made of and nobody has approved. Warnings, since it may be meant for
/// another machine; whatever the gateway cannot start without is said again when it starts. An
/// error where paths are to be looked for on a disk that cannot be asked.
///
/// Cost: looks at files, reads secrets and certificates, and starts processes that end at once for
///       each server with a sandbox; nothing is written.
///
/// Input: `written_in` says where the configuration stands, and so what the hints can be followed
/// in: a file, or the options of `wrap`.
enum class WrittenIn : std::uint8_t { file, options };
struct MachineQuestion {
  WrittenIn written_in = WrittenIn::file;
  /// What a part of a sandbox is that this machine does not give: an error for who starts now.
  ConfigProblem::Severity sandbox = ConfigProblem::Severity::warning;
};
std::vector<ConfigProblem> find_machine_problems(const Config& config, const Launcher& launcher,
                                                 MachineQuestion question = {});

}  // namespace bartizan
