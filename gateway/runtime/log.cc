#include "gateway/runtime/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "gateway/runtime/line_level.h"
#include "schemas/json/json.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Bytes of one server's line that are kept.
constexpr std::size_t kServerLineBytes = 1024;

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

bool on_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

/// Text that cannot start a line of its own or drive a terminal.
std::string printable(std::string_view text) {
  return json_string_inside(text);
}

std::string as_text(std::string_view event, std::span<const LogField> fields) {
  std::string line(event);
  for (const auto& [name, value] : fields) {
    line += "  ";
    line += name;
    line += " ";
    line += printable(value.text());
  }
  return line;
}

}  // namespace

std::string log_line(std::string_view event, std::span<const LogField> fields) {
  std::string line = R"("msg":)";
  append_json_string(line, event);
  for (const auto& [name, value] : fields) {
    line += ",";
    append_json_string(line, name);
    line += ":";
    if (value.is_number()) {
      line += value.text();
    } else {
      append_json_string(line, value.text());
    }
  }
  return line;
}

void start_log(LogConfig::Level level) {
  auto logger = spdlog::stderr_logger_mt("bartizan");
  logger->set_pattern(
      on_terminal() ? "%H:%M:%S %-7l %v" : R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})",
      spdlog::pattern_time_type::utc);
  logger->set_level(to_spdlog(static_cast<LogLevel>(level)));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void set_log_level(LogConfig::Level level) {
  spdlog::set_level(to_spdlog(static_cast<LogLevel>(level)));
}

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  log(level, event, std::span<const LogField>(fields.begin(), fields.size()));
}

void log(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  spdlog::log(to_spdlog(level), "{}",
              on_terminal() ? as_text(event, fields) : log_line(event, fields));
}

void log_server_line(std::string_view server, std::string_view line) {
  line = line.substr(0, std::min(line.size(), kServerLineBytes));
  log(level_of_line(line), "server",
      {{"server", std::string(server)}, {"line", std::string(line)}});
}

}  // namespace bartizan
