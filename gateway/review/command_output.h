#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_problem.h"

namespace bartizan {

/// Exit codes of every command. The command-line parser returns 2.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// The choice of `--json`.
enum class OutputFormat : std::uint8_t { text, json };

/// The abilities of the terminal behind `problems`.
struct Terminal {
  bool shows_source = false;  ///< It is a terminal, so source lines help.
  bool has_colour = false;    ///< It has colours, and the user did not disable them.
};
/// The abilities of a file descriptor. Source: no-color.org, for `NO_COLOR`.
Terminal terminal_of(int descriptor);

/// The output of a command: results and problems. They are separate streams, so that a pipe from
/// `results` gets only results.
struct CommandOutput {
  std::ostream& results;
  std::ostream& problems;
  OutputFormat format = OutputFormat::text;
  Terminal terminal = {};
};

/// One JSON object, written member by member. In text that is not UTF-8, such as a file name, each
/// bad byte is replaced.
class JsonObject {
 public:
  void add(std::string_view name, std::string_view text);
  void add(std::string_view name, std::uint64_t number);
  void add(std::string_view name, std::span<const std::string> texts);
  void add(std::string_view name, std::span<const JsonObject> objects);
  /// Adds a JSON boolean. It has its own name, because a text literal would convert to `bool`
  /// before a view.
  void add_flag(std::string_view name, bool is_set);
  /// Adds a value that is already JSON text.
  void add_json(std::string_view name, std::string_view json);
  std::string text() const { return "{" + members_ + "}"; }

 private:
  void begin(std::string_view name);

  std::string members_;
};

/// One object per problem, with its severity, place, message and hint.
std::vector<JsonObject> problems_json(std::span<const ConfigProblem> problems);

/// The current time, in seconds since 1970 UTC.
std::int64_t command_time();

/// Ends a command. Returns `exit_code`, or failure if the results could not be written, because the
/// disk is full or the reader of a pipe closed it. A closed pipe is not reported.
int finish(const CommandOutput& output, int exit_code);

}  // namespace bartizan
