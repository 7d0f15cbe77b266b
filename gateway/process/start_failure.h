#pragma once

#include <string>

#include "schemas/base/result.h"

namespace bartizan {

/// The error of a server that cannot be started: `server_failed`, with the reason as a sentence.
std::unexpected<Error> start_failed(std::string detail);

/// The kernel's reason: `No such file or directory (errno 2)`.
/// Threads: any.
std::string reason_of(int error);

}  // namespace bartizan
