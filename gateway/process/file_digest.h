#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// The SHA-256 of the rest of a file, in lower-case hex. Empty if that is more than `bytes_max`.
/// Nothing if it cannot be read.
///
/// Threads: any. May block as long as the file system does: never on a worker.
std::optional<std::string> digest_rest(const Descriptor& file, std::uint64_t bytes_max);

}  // namespace bartizan
