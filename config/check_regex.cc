#include "config/check_regex.h"

#include <fmt/format.h>

#include "schemas/base/limits.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

bool check_regex(const Text& pattern, std::string_view key, Problems& problems) {
  if (pattern.value.size() > limits::predicate_pattern_bytes_max) {
    problems.error(pattern.where, fmt::format("{} is longer than {} bytes", quote(key),
                                              limits::predicate_pattern_bytes_max));
    return false;
  }
  const auto compiled = compile_re2_pattern(pattern.value, limits::schema_pattern_bytes_max);
  if (compiled.has_value()) return true;
  problems.error(pattern.where, fmt::format("{} is no pattern that RE2 can use: {}", quote(key),
                                            quote(compiled.error().detail)));
  return false;
}

}  // namespace bartizan
