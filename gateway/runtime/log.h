#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The operator's log, on standard error: readable lines on a terminal, JSON elsewhere. It tells
/// what the process does; what calls do is in the record. Never called on the path of a call that
/// succeeds. No secret, token, session id or argument is ever given to it.
///
/// Threads: any.
enum class LogLevel : std::uint8_t { debug, info, warning, error };
using LogField = std::pair<std::string_view, std::string>;

void start_log(LogConfig::Level level);
/// Another level from now on, for the running process.
void set_log_level(LogConfig::Level level);
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
/// Writes one line, with fields that were collected before: only those that have something to say.
void log(LogLevel level, std::string_view event, std::span<const LogField> fields);

/// One line that a server wrote to its standard error: cut, with control characters escaped, and
/// with the level that it names (`level_of_line`).
void log_server_line(std::string_view server, std::string_view line);

}  // namespace bartizan
