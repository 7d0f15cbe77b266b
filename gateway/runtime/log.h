#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"

namespace bartizan {

/// The operator's log, on standard error: readable lines on a terminal, JSON elsewhere. It logs the
/// actions of the process. Calls are in the record. Never called on the path of a successful call.
/// Secrets, tokens, session ids and arguments are never logged.
///
/// Threads: any.
enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// The value of a field: a text, or a whole number, which JSON has without quotes.
class LogValue {
 public:
  LogValue(std::string text) : text_(std::move(text)) {}  // NOLINT(*-explicit-*)
  LogValue(std::string_view text) : text_(text) {}        // NOLINT(*-explicit-*)
  LogValue(const char* text) : text_(text) {}             // NOLINT(*-explicit-*)
  template <std::integral Number>
  LogValue(Number number)
      : text_(std::to_string(number)), is_number_(true) {}  // NOLINT(*-explicit-*)

  const std::string& text() const { return text_; }
  bool is_number() const { return is_number_; }

 private:
  std::string text_;
  bool is_number_ = false;
};
/// Names are in snake_case.
using LogField = std::pair<std::string_view, LogValue>;

/// One line in JSON, without its time and level: `"msg":"…","name":"text","count":3`.
std::string log_line(std::string_view event, std::span<const LogField> fields);

void start_log(LogConfig::Level level);
/// Changes the level of the running process.
void set_log_level(LogConfig::Level level);
void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
/// Writes one line with fields that were collected before.
void log(LogLevel level, std::string_view event, std::span<const LogField> fields);

/// Logs one line of a server's standard error: cut, with control characters escaped, and with the
/// level that the line names (`level_of_line`).
void log_server_line(std::string_view server, std::string_view line);

}  // namespace bartizan
