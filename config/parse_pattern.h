#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// The fault of a pattern, and the suggested correction.
struct PatternFault {
  std::string message;
  std::string hint;
};

/// Checks a `server/tool` or `server/prompt` glob. It has exactly one slash; `*` stands within a
/// segment, `**` only as the whole last segment. Returns nothing if the glob is valid.
std::optional<PatternFault> find_tool_pattern_fault(std::string_view pattern);

/// Checks a glob of resources, `server:URI`, such as `files:file:///srv/**`. `*` stands within a
/// segment, `**` only as the whole last segment. Returns nothing if the glob is valid.
std::optional<PatternFault> find_resource_pattern_fault(std::string_view pattern);

/// The matched form of `server:URI`: `server/URI`. The server's name is the first segment.
std::string joined_resource_pattern(std::string_view written);

/// Checks a glob of paths below a root: names separated by slashes, none empty, `.` or `..`. `*`
/// stands within a name, `**` only as the whole last name. Returns nothing if the glob is valid.
std::optional<PatternFault> find_path_pattern_fault(std::string_view pattern);

/// Checks a glob of writable paths below a root. It may also have `{date}`, `{YYYY-MM-DD}`,
/// `{YYYYMMDD}` and `{nn}`, and no other braces. Returns nothing if the glob is valid.
std::optional<PatternFault> find_writable_pattern_fault(std::string_view pattern);

/// Checks a glob of one name. Returns nothing if the glob is valid.
std::optional<PatternFault> find_name_pattern_fault(std::string_view pattern);

/// The server's name: the part before the first slash or colon. Names of servers have neither.
/// Lifetime: views the pattern.
std::string_view server_segment(std::string_view pattern);

/// Whether a segment has no wildcard.
bool is_literal(std::string_view segment);

}  // namespace bartizan
