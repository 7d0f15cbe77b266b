#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_problem.h"

namespace bartizan {

/// Exit codes of every command; 2 comes from the command line's reader.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// What `--json` chooses.
enum class OutputFormat : std::uint8_t { text, json };

/// What the reader of `problems` can show.
struct Terminal {
  bool shows_source = false;  ///< It is a terminal: a source line helps.
  bool has_colour = false;    ///< And it has colours, which nobody declined.
};
/// Source: no-color.org, for `NO_COLOR`.
Terminal terminal_of(int descriptor);

/// Where a command writes: what it was asked for, and what went wrong. A pipe behind `results`
/// holds nothing but results.
struct CommandOutput {
  std::ostream& results;
  std::ostream& problems;
  OutputFormat format = OutputFormat::text;
  Terminal terminal = {};
};

/// One JSON object, written member by member. Text that is not UTF-8, which a file name may hold,
/// has each bad byte replaced.
class JsonObject {
 public:
  void add(std::string_view name, std::string_view text);
  void add(std::string_view name, std::uint64_t number);
  void add(std::string_view name, std::span<const std::string> texts);
  void add(std::string_view name, std::span<const JsonObject> objects);
  /// A JSON boolean. A name of its own: a text literal would become a `bool` before a view.
  void add_flag(std::string_view name, bool is_set);
  /// A value that is one JSON text already.
  void add_json(std::string_view name, std::string_view json);
  std::string text() const { return "{" + members_ + "}"; }

 private:
  void begin(std::string_view name);

  std::string members_;
};

/// Each with its severity, place, message and hint.
std::vector<JsonObject> problems_json(std::span<const ConfigProblem> problems);

/// When a command runs, in seconds since 1970 UTC.
std::int64_t command_time();

/// Ends a command: `exit_code`, or failure where the result could not be written, because a disk
/// is full or the reader of a pipe has left. The latter is said nowhere: nobody wants to know.
int finish(const CommandOutput& output, int exit_code);

}  // namespace bartizan
