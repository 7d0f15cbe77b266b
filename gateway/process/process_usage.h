#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// The resources of the gateway's own process, without its servers.
struct ProcessUsage {
  double cpu_seconds = 0;
  double started_at = 0;  ///< Seconds since 1970 UTC.
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
  std::uint64_t threads = 0;
};

/// Reads the usage from the kernel. Unknown values are 0.
/// Cost:   three small files, and a system call for each place of the descriptor table.
/// Source: proc(5), /proc/self/stat; getrusage(2).
ProcessUsage read_process_usage();

/// Fields of one line of /proc/PID/stat: threads, sizes, and the start in clock ticks since the
/// machine booted. Zeros for an invalid line.
struct ProcessStat {
  std::uint64_t threads = 0;
  std::uint64_t start_ticks = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};
ProcessStat parse_process_stat(std::string_view line);

}  // namespace bartizan
