#include "config/check_regex.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "schemas/base/limits.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

namespace {

/// The substitute for a feature that RE2 leaves out on purpose; empty for any other mistake.
std::string hint_of(std::string_view pattern) {
  for (const std::string_view around : {"(?=", "(?!", "(?<=", "(?<!"}) {
    if (pattern.contains(around)) {
      return "RE2 has no look-ahead and no look-behind: write what may stand there";
    }
  }
  for (std::size_t at = pattern.find('\\'); at < pattern.size(); at = pattern.find('\\', at + 2)) {
    if (at + 1 < pattern.size() && pattern[at + 1] >= '1' && pattern[at + 1] <= '9')
      return "RE2 has no backreferences";
  }
  return {};
}

}  // namespace

bool check_regex(const Text& pattern, std::string_view key, Problems& problems) {
  if (pattern.value.size() > limits::predicate_pattern_bytes_max) {
    problems.error(pattern.where, fmt::format("{} is longer than {} bytes", quote(key),
                                              limits::predicate_pattern_bytes_max));
    return false;
  }
  const auto compiled = compile_re2_pattern(pattern.value, limits::schema_pattern_bytes_max);
  if (compiled.has_value()) return true;
  problems.error(pattern.where,
                 fmt::format("{} is not a pattern that RE2 can use: {}", quote(key),
                             quote(compiled.error().detail)),
                 hint_of(pattern.value));
  return false;
}

}  // namespace bartizan
