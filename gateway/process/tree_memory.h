#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace bartizan {

/// The resident bytes of a process and all its descendants. Shared pages count for each process.
/// Nothing if there is no such process.
///
/// Bounded: `kTreeProcessesMax` processes are counted.
/// Cost:    two or three short files of the kernel for each process.
/// Source:  proc(5), /proc/pid/statm and /proc/pid/task/tid/children.
std::optional<std::uint64_t> tree_memory(pid_t root);

inline constexpr std::size_t kTreeProcessesMax = 4096;

}  // namespace bartizan
