#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "schemas/base/result.h"

namespace bartizan {

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

namespace limits {
/// Processes that may run at the same time with records of their own.
inline constexpr unsigned numbered_records_max = 64;
}  // namespace limits

/// Runs with the first record that no other process writes, of those with the numbers from 1 on.
/// `record_of` names the record with a number. `run` runs with it, and returns only if it could not
/// start. Another process may take a record in between; then the next one is tried. Whatever else
/// fails is tried three times, since whoever only asks `is_record_in_use` can be in the way of one
/// that opens it. Returns why no record could be used.
std::string run_with_free_record(const std::function<std::string(unsigned)>& record_of,
                                 const std::function<Error(unsigned)>& run);

}  // namespace bartizan
