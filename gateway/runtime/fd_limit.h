#pragma once

#include <cstdint>

namespace bartizan {

/// Raises the limit of open descriptors to the allowed maximum, and returns it. Most systems start
/// programs with 1024, which a crowd of idle clients would use up.
std::uint64_t raise_open_files();

/// Gives a child process the usual limit. Programs that use select() expect descriptors below 1024,
/// and others raise the limit themselves. False if it cannot be set.
/// Threads: between fork and exec; async-signal-safe.
bool lower_open_files();

}  // namespace bartizan
