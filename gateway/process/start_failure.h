#pragma once

#include <string>

#include "schemas/base/result.h"

namespace bartizan {

/// A server that cannot be started: `server_failed`, with the sentence that says why.
std::unexpected<Error> start_failed(std::string detail);

/// What the kernel said: `No such file or directory (errno 2)`.
/// Threads: any.
std::string reason_of(int error);

}  // namespace bartizan
