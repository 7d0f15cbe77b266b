#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

/// Warnings about a configuration by itself: nobody can authenticate, secrets or placeholders
/// instead of values, expired keys and modes. Pure.
///
/// Input: `now` in seconds since 1970 UTC.
std::vector<ConfigProblem> find_doubts(const Config& config, std::int64_t now);

/// Warnings about a usable configuration beyond those of loading: problems of its policy, and
/// doubts. `run` and a reload log them. Servers' lists are not known yet; see `find_unknown_names`.
/// Threads: any. Pure, except for the time of day.
std::vector<ConfigProblem> review_config(const Config& config);

/// What this machine lacks for the configuration. `run` and a reload log it. Servers' executables
/// are not read here, but when the servers start. A sandbox that this machine does not support is
/// an error. May block, if a named file is on a disk that hangs.
std::vector<ConfigProblem> review_machine(const Config& config, const Launcher& launcher);

/// Both reviews, and the executables: the output of `check`. An unsupported sandbox is a warning
/// here, because the configuration may be for another machine. Cost: reads all `executables`.
std::vector<ConfigProblem> review_config_and_files(const Config& config, const Launcher& launcher);

bool has_error(const std::vector<ConfigProblem>& problems);

/// Logs one line per problem, without the example call: logs must not have arguments.
void log_problems(const std::vector<ConfigProblem>& problems);

}  // namespace bartizan
