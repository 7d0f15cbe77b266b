#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "policy/check/tool_profiles.h"
#include "schemas/json/json.h"

namespace bartizan {

namespace limits {
/// The most readings of one call that an approver is shown.
inline constexpr std::size_t argument_readings_max = 500;
}  // namespace limits

/// How the gateway reads one argument when it decides.
struct ArgumentReading {
  std::string pointer;    ///< Into the arguments.
  std::string_view kind;  ///< `path`, `url`, `sql` or `command`.
  std::string reading;    ///< For people; lines are separated by line feeds.

  bool operator==(const ArgumentReading&) const = default;
};

/// The arguments to read, and the predicates to read them by.
struct ReadArguments {
  const Config& config;
  const ToolProfiles& profiles;
  std::string_view server;
  std::string_view tool;
  std::string_view rule;  ///< Its conditions count too; empty for none.
  JsonValue arguments;    ///< Absent where the call has none.
};

/// How the gateway reads paths, URLs, SQL and commands among the arguments of a call. Each
/// predicate of the tool's profiles, and of one rule, gives a reading of each value that it
/// selects. Equal readings appear once. A path is read as the place that it leads to, and a URL as
/// its parts. SQL is read as its kind, tables and functions, and a command as its programs with
/// their words.
///
/// Nothing if there are more than `limits::argument_readings_max`: then they cannot all be shown.
/// Cost: as to judge the arguments, but for patterns; memory for each reading.
std::optional<std::vector<ArgumentReading>> read_arguments(const ReadArguments& asked);

}  // namespace bartizan
