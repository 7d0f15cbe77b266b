#pragma once

#include <string_view>

#include "gateway/runtime/log.h"

namespace bartizan {

/// The level that a line of a server's log names, as far as it does so clearly; `info` otherwise.
///
/// Read are the first words of the line: a level in upper case (`ERROR`, `ERROR:root:`), one in
/// brackets in any case (`[warn]`), and `level=warn`; and of a line that is a JSON object, its
/// first member `level`. `TRACE` is `debug`, `NOTICE` is `info`, `FATAL` and `CRITICAL` are
/// `error`. A server may write what it likes, so this says what it claims.
///
/// Cost: a pass over the first words; of JSON, a search in the line.
LogLevel level_of_line(std::string_view line);

}  // namespace bartizan
