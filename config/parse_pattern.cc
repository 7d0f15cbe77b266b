#include "config/parse_pattern.h"

#include <algorithm>

namespace bartizan {
namespace {

constexpr std::size_t kPatternBytesMax = 1024;
constexpr std::string_view kWildcardHint =
    "* stands for any text in one segment, ** for all that remains, nothing else is special";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// `**` beside other characters, or in front of the last segment, would mean different things to
/// different readers.
bool has_misplaced_stars(std::string_view pattern) {
  const std::size_t stars = pattern.find("**");
  if (stars == std::string_view::npos) return false;
  const bool is_whole_segment = stars > 0 && pattern[stars - 1] == '/';
  return !is_whole_segment || stars + 2 != pattern.size();
}

std::optional<PatternFault> find_common_fault(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) return PatternFault{"is longer than 1024 bytes", ""};
  if (std::ranges::any_of(pattern, is_control)) {
    return PatternFault{"holds a control character", ""};
  }
  if (has_misplaced_stars(pattern)) {
    return PatternFault{"has ** elsewhere than as its whole last segment",
                        std::string(kWildcardHint)};
  }
  const std::string_view server = server_segment(pattern);
  const bool is_server = std::ranges::all_of(server, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '*';
  });
  if (server.empty() || !is_server) {
    return PatternFault{"must begin with a server's name or *", ""};
  }
  return std::nullopt;
}

}  // namespace

std::string_view server_segment(std::string_view pattern) {
  const std::size_t end = pattern.find_first_of("/:");
  return end == std::string_view::npos ? std::string_view() : pattern.substr(0, end);
}

bool is_literal(std::string_view segment) {
  return !segment.contains('*');
}

std::optional<PatternFault> find_tool_pattern_fault(std::string_view pattern) {
  if (std::ranges::count(pattern, '/') != 1) {
    return PatternFault{"must have exactly one slash",
                        "write \"server/tool\", such as \"files/*\""};
  }
  if (pattern.ends_with('/')) return PatternFault{"has nothing behind its slash", ""};
  if (pattern.find_first_of("?[]{}\\! ") != std::string_view::npos) {
    return PatternFault{"holds a character that is no part of a name", std::string(kWildcardHint)};
  }
  return find_common_fault(pattern);
}

std::optional<PatternFault> find_resource_pattern_fault(std::string_view pattern) {
  const std::size_t colon = pattern.find_first_of("/:");
  const bool is_whole = colon != std::string_view::npos && pattern[colon] == ':';
  if (!is_whole || colon + 1 == pattern.size()) {
    return PatternFault{"must be a server, a colon and a URI",
                        "write \"server:URI\", such as \"files:file:///srv/**\""};
  }
  return find_common_fault(joined_resource_pattern(pattern));
}

std::string joined_resource_pattern(std::string_view written) {
  std::string joined(written);
  const std::size_t colon = joined.find(':');
  if (colon != std::string::npos) joined[colon] = '/';
  return joined;
}

}  // namespace bartizan
