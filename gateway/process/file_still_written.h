#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace bartizan {

/// The first of these files that somebody is still writing: one that is open for writing or, where
/// `quiet` is not zero, was written within that time before `now`. Half of a policy reads like a
/// whole one, and may lack what forbids.
///
/// Whether a file is open is told to its owner and to who may take leases; of others the time says
/// it. A writer that pauses longer and whose file is not ours is not noticed: docs/reload.md asks
/// for renaming.
/// Source: fcntl(2), F_SETLEASE.
std::optional<std::string> find_unfinished_file(const std::vector<std::string>& files,
                                                std::chrono::milliseconds quiet,
                                                std::chrono::system_clock::time_point now);

}  // namespace bartizan
