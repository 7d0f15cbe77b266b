#pragma once

#include <cstdint>

namespace bartizan {

/// Lets the process open as many descriptors as it may, and answers how many. Most systems start
/// programs with 1024, which a crowd of idle clients would use up.
std::uint64_t raise_open_files();

/// Gives a child process the limit that programs are used to: those that use select() believe that
/// descriptors are below 1024, and others raise it themselves. False when it cannot be set.
/// Threads: between fork and exec; async-signal-safe.
bool lower_open_files();

}  // namespace bartizan
