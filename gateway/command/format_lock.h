#pragma once

#include <string>

#include "config/load/lock_file.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Says of the first lock file how many tools of how many servers it has, and what is suspicious in
/// them. That all of it is new needs no line for each tool.
///
/// Input: `file`, as it is named.
void write_first_lock(const std::string& file, const LockFile& lock, const CommandOutput& output);

}  // namespace bartizan
