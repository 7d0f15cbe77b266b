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
/// Readings of one call that whoever is asked about it is told.
inline constexpr std::size_t argument_readings_max = 500;
}  // namespace limits

/// What the gateway takes one argument for when it decides.
struct ArgumentReading {
  std::string pointer;    ///< Into the arguments.
  std::string_view kind;  ///< `path`, `url`, `sql` or `command`.
  std::string reading;    ///< For people; lines are separated by line feeds.

  bool operator==(const ArgumentReading&) const = default;
};

/// What is read, and by whose predicates.
struct ReadArguments {
  const Config& config;
  const ToolProfiles& profiles;
  std::string_view server;
  std::string_view tool;
  std::string_view rule;  ///< Whose conditions count, too; empty for none.
  JsonValue arguments;    ///< Absent where the call has none.
};

/// How the gateway reads paths, URLs, SQL and commands among the arguments of a call: what each
/// predicate of the tool's profiles, and of one rule, says of each value that it selects, each
/// reading once. Of a path it is the place that it leads to, of a URL its parts, of SQL its kind,
/// tables and functions, of a command each program with its words.
///
/// Nothing where there are more than `limits::argument_readings_max`: then nobody can be told all.
/// Cost: as to judge the arguments, but for patterns; memory for each reading.
std::optional<std::vector<ArgumentReading>> read_arguments(const ReadArguments& asked);

}  // namespace bartizan
