#pragma once

#include <string_view>

#include "gateway/runtime/log.h"

namespace bartizan {

/// The level in a line of a server's log, if it is clear; `info` otherwise.
///
/// Reads the first words of the line: a level in upper case (`ERROR`, `ERROR:root:`), a level in
/// brackets in any case (`[warn]`), or a pair such as `level=warn`. In a line that is a JSON
/// object, it reads the first member `level`. `TRACE` is `debug`, `NOTICE` is `info`, `FATAL` and
/// `CRITICAL` are `error`. The level is only the server's own claim.
///
/// Cost: a pass over the first words; of JSON, a search in the line.
LogLevel level_of_line(std::string_view line);

}  // namespace bartizan
