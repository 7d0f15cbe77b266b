#pragma once

#include <vector>

#include "config/config.h"
#include "config/config_problem.h"

namespace bartizan {

/// What is wrong on this machine with the files that servers are made of: one that holds something
/// else than was approved, or cannot be read; one that nobody approved, with what would have to
/// stand in the lock file; and a command that leads to another program than the approved one of
/// that name. All are warnings: it may be meant for another machine.
///
/// Threads: any. May block as long as the file system does.
/// Cost:    reads each file once.
std::vector<ConfigProblem> find_executable_problems(const Config& config);

/// A warning for each server that will not start because nobody approved a file that it is made of.
/// Looks at no file. Pure.
std::vector<ConfigProblem> find_unapproved(const Config& config);

}  // namespace bartizan
