#include "config/parse_pattern.h"

#include <algorithm>
#include <array>

namespace bartizan {
namespace {

constexpr std::size_t kPatternBytesMax = 1024;
constexpr std::string_view kWildcardHint =
    "* stands for any text in one segment, ** for all that remains, nothing else is special";

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Whether `**` stands beside other characters, or before the last segment, where its meaning is
/// ambiguous.
bool has_misplaced_stars(std::string_view pattern) {
  const std::size_t stars = pattern.find("**");
  if (stars == std::string_view::npos) return false;
  const bool is_whole_segment = stars > 0 && pattern[stars - 1] == '/';
  return !is_whole_segment || stars + 2 != pattern.size();
}

/// Faults that any kind of pattern can have.
std::optional<PatternFault> find_text_fault(std::string_view pattern) {
  if (pattern.size() > kPatternBytesMax) return PatternFault{"is longer than 1024 bytes", ""};
  if (std::ranges::any_of(pattern, is_control)) {
    return PatternFault{"holds a control character", ""};
  }
  return std::nullopt;
}

PatternFault misplaced_stars() {
  return {"has ** elsewhere than as its whole last segment", std::string(kWildcardHint)};
}

std::optional<PatternFault> find_common_fault(std::string_view pattern) {
  if (auto fault = find_text_fault(pattern)) return fault;
  if (has_misplaced_stars(pattern)) return misplaced_stars();
  const std::string_view server = server_segment(pattern);
  const bool is_server = std::ranges::all_of(server, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '*';
  });
  if (server.empty() || !is_server) {
    return PatternFault{"must begin with a server's name or *", ""};
  }
  return std::nullopt;
}

/// Whether a pattern, or a path that it could match, has such a name. Paths are normalised before
/// the comparison, so such a name never occurs.
bool has_odd_name(std::string_view pattern) {
  while (true) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    const std::string_view name = pattern.substr(0, end);
    if (name.empty() || name == "." || name == "..") return true;
    if (end == pattern.size()) return false;
    pattern.remove_prefix(end + 1);
  }
}

constexpr std::array<std::string_view, 4> kWritableWords = {"{date}", "{YYYY-MM-DD}", "{YYYYMMDD}",
                                                            "{nn}"};

/// Whether each brace belongs to a placeholder for digits.
bool has_only_known_braces(std::string_view pattern) {
  while (true) {
    const std::size_t at = pattern.find_first_of("{}");
    if (at == std::string_view::npos) return true;
    pattern.remove_prefix(at);
    const auto starts = [pattern](std::string_view word) { return pattern.starts_with(word); };
    if (std::ranges::none_of(kWritableWords, starts)) return false;
    pattern.remove_prefix(pattern.find('}') + 1);
  }
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
  if (pattern.ends_with('/')) return PatternFault{"has nothing after its slash", ""};
  if (pattern.find_first_of("?[]{}\\! ") != std::string_view::npos) {
    return PatternFault{"holds a character that is not part of a name", std::string(kWildcardHint)};
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

std::optional<PatternFault> find_path_pattern_fault(std::string_view pattern) {
  if (auto fault = find_text_fault(pattern)) return fault;
  if (has_odd_name(pattern)) {
    return PatternFault{"is not a path below the root",
                        "write \"folder/name\", without a slash in front or behind, . and .."};
  }
  if (pattern != "**" && has_misplaced_stars(pattern)) return misplaced_stars();
  return std::nullopt;
}

std::optional<PatternFault> find_writable_pattern_fault(std::string_view pattern) {
  if (!has_only_known_braces(pattern)) {
    return PatternFault{
        "has braces around something else than {date}, {YYYY-MM-DD}, {YYYYMMDD} or {nn}",
        "{YYYY-MM-DD} stands for 2027-03-31, {YYYYMMDD} for 20270331, {date} for both, {nn} for "
        "two digits"};
  }
  return find_path_pattern_fault(pattern);
}

std::optional<PatternFault> find_name_pattern_fault(std::string_view pattern) {
  if (pattern.contains('/') || pattern.contains("**")) {
    return PatternFault{"is not a pattern of one name",
                        "* stands for any text in it; write paths into \"deny\""};
  }
  return find_path_pattern_fault(pattern);
}

}  // namespace bartizan
