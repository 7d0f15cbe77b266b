#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace bartizan {

/// Bytes that a process and all that it started have in memory now. Pages that several of them
/// share count for each. Nothing where there is no such process.
///
/// Bounded: `kTreeProcessesMax` processes are counted.
/// Cost:    two or three short files of the kernel for each process.
/// Source:  proc(5), /proc/pid/statm and /proc/pid/task/tid/children.
std::optional<std::uint64_t> tree_memory(pid_t root);

inline constexpr std::size_t kTreeProcessesMax = 4096;

}  // namespace bartizan
