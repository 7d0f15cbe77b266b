#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "gateway/launch/launcher.h"

namespace bartizan {

/// What is doubtful about a configuration by itself: nobody who can authenticate, secrets and
/// placeholders where values should stand, keys and modes whose time is over. Pure.
///
/// Input: `now` in seconds since 1970 UTC.
std::vector<ConfigProblem> find_doubts(const Config& config, std::int64_t now);

/// What a usable configuration by itself is to be told beyond what loading it found: problems of
/// its policy, and doubts. `run` and a reload log it. What servers have is not known yet: see
/// `find_unknown_names`. Threads: any; computes alone, but for the time of day.
std::vector<ConfigProblem> review_config(const Config& config);

/// What this machine lacks of what the configuration names. `run` and a reload log it. The files
/// that servers are made of are read when they start. A sandbox that this machine does not give is
/// an error. May block: what is named may be on a disk that hangs.
std::vector<ConfigProblem> review_machine(const Config& config, const Launcher& launcher);

/// Both, with these files read: what `check` shows. A sandbox that this machine does not give
/// is a warning here, since another machine may be meant. Cost: reads all `executables`.
std::vector<ConfigProblem> review_config_and_files(const Config& config, const Launcher& launcher);

bool has_error(const std::vector<ConfigProblem>& problems);

/// One line of the log for each, without the call that shows it: arguments are no log's.
void log_problems(const std::vector<ConfigProblem>& problems);

}  // namespace bartizan
