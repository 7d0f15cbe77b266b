#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace bartizan {

/// The first of these files that is still being written. It is open for writing or, if `quiet` is
/// not zero, was written within that time before `now`. Half of a policy can look complete while
/// its prohibitions are missing.
///
/// Only the owner, or a process that may take leases, sees whether a file is open. For other files
/// only the time counts. A pause longer than `quiet` in another owner's file is not noticed:
/// docs/reload.md recommends renaming.
/// Source: fcntl(2), F_SETLEASE.
std::optional<std::string> find_unfinished_file(const std::vector<std::string>& files,
                                                std::chrono::milliseconds quiet,
                                                std::chrono::system_clock::time_point now);

}  // namespace bartizan
