#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bartizan {

/// What is wrong with a pattern, and what to write instead.
struct PatternFault {
  std::string message;
  std::string hint;
};

/// Checks a `server/tool` (or `server/prompt`) glob: exactly one slash, `*` within a segment,
/// `**` only as the whole last segment. Nothing when it is sound.
std::optional<PatternFault> find_tool_pattern_fault(std::string_view pattern);

/// Checks a glob of resources, `server:URI`, such as `files:file:///srv/**`: `*` within a segment,
/// `**` only as the whole last segment. Nothing when it is sound.
std::optional<PatternFault> find_resource_pattern_fault(std::string_view pattern);

/// `server:URI` as it is matched, `server/URI`: the server's name is one segment, and the first.
std::string joined_resource_pattern(std::string_view written);

/// Checks a glob of paths below a root: names with slashes between them, neither empty nor `.` or
/// `..`; `*` within a name, `**` only as the whole last one.
std::optional<PatternFault> find_path_pattern_fault(std::string_view pattern);

/// Checks a glob of paths below a root that may be written: it may also hold `{date}`,
/// `{YYYY-MM-DD}`, `{YYYYMMDD}` and `{nn}`, and no other braces. Nothing when it is sound.
std::optional<PatternFault> find_writable_pattern_fault(std::string_view pattern);

/// Checks a glob of one name.
std::optional<PatternFault> find_name_pattern_fault(std::string_view pattern);

/// The server's segment, in front of the first slash or colon, which no name of a server has.
std::string_view server_segment(std::string_view pattern);

/// Whether a segment stands for itself, without a wildcard.
bool is_literal(std::string_view segment);

}  // namespace bartizan
