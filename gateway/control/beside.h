#pragma once

#include <string>
#include <string_view>

#include "config/config.h"

namespace bartizan {

/// How many processes over standard input may run beside a gateway of the same configuration.
inline constexpr unsigned kBesideMax = 64;

/// The file of the process with that number, from 1: `audit.stdio.jsonl` and `audit.stdio-2.jsonl`
/// beside `audit.jsonl`. Empty for an empty name.
std::string file_beside(std::string_view file, unsigned number);

/// Gives a process over standard input files of its own, and leaves out what one process alone can
/// have: the metrics listener, the console and the admin socket. The state file is a new one, so
/// that approvals, revocations and registrations of the other gateway do not count in it.
void fit_beside(Config& config, unsigned number);

/// Whether another process writes that record at this moment.
/// Source: flock(2): whoever writes a record holds its lock.
bool is_record_in_use(const std::string& file);

}  // namespace bartizan
