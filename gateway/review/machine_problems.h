#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

/// Where the configuration is written, for hints: a file, or the options of `wrap`.
enum class WrittenIn : std::uint8_t { file, options };

/// Options of `find_machine_problems`.
struct MachineQuestion {
  WrittenIn written_in = WrittenIn::file;
  /// The severity of a sandbox part that this machine lacks: an error if the gateway starts now.
  ConfigProblem::Severity sandbox = ConfigProblem::Severity::warning;
};

/// What this machine lacks for a configuration: programs in the server's PATH, folders, secrets,
/// certificate and key, the record's place, a part of a server's sandbox, approvals of servers'
/// executables. They are warnings, because the configuration may be for another machine. The start
/// reports again what the gateway cannot start without. Paths that must be resolved on an
/// unreachable disk are an error.
///
/// Cost: looks at files, reads secrets and certificates, and starts processes that end at once for
///       each server with a sandbox. Writes nothing.
std::vector<ConfigProblem> find_machine_problems(const Config& config, const Launcher& launcher,
                                                 MachineQuestion question = {});

}  // namespace bartizan
