#pragma once

#include <string>

#include "config/load/lock_file.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Summarises a new lock file: its numbers of tools and servers, and suspicious definitions.
/// Individual tools are not listed, because all are new.
///
/// Input: `file`, as the user named it.
void write_first_lock(const std::string& file, const LockFile& lock, const CommandOutput& output);

}  // namespace bartizan
