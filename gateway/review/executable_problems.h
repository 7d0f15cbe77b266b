#pragma once

#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// Problems of servers' executables on this machine. A file differs from the approved content, or
/// cannot be read. A file is not approved; the hint has its entry for the lock file. Or a command
/// leads to another program than the approved one of that name. All are warnings, because the
/// configuration may be for another machine.
///
/// Threads: any. May block as long as the file system does.
/// Cost:    reads each file once.
std::vector<ConfigProblem> find_executable_problems(const Config& config);

/// A warning for each server that will not start because one of its executables is not approved.
/// Pure: reads no file.
std::vector<ConfigProblem> find_unapproved(const Config& config);

}  // namespace bartizan
