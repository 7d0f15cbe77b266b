#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/load_config.h"

namespace bartizan {

/// What stands in front of each case: three sound lines, so that a case begins in line 4.
inline constexpr std::string_view kHead =
    "version = 1\naudit.file = \"/var/a\"\nrole = { reader = {} }\n";

/// A text behind `kHead`, and everything that may be said about it.
struct Wrong {
  std::string_view name;
  std::string_view text;
  std::string_view problem;
};

/// A server, a key and its holder, behind a case.
inline constexpr std::string_view kServerAndKey = R"(
[server.files]
url = "https://example.com/"
[auth.api_key.ci]
principal = "ann"
sha256 = "abababababababababababababababababababababababababababababababab"
[principal.ann]
roles = ["reader"]
)";

/// The errors in a text between `kHead` and `rest`, a line each.
inline std::string errors_of(std::string_view text, std::string_view rest = kServerAndKey) {
  const LoadedConfig loaded =
      load_config_text(std::string(kHead) + std::string(text) + std::string(rest), "/etc/b/c.toml");
  std::string lines;
  for (const ConfigProblem& problem : loaded.problems) {
    if (problem.severity == ConfigProblem::Severity::error) lines += bartizan::text(problem) + "\n";
  }
  return lines;
}

inline std::string all_text(const std::vector<ConfigProblem>& problems) {
  std::string lines;
  for (const ConfigProblem& problem : problems)
    lines += text(problem) + "\n";
  return lines;
}

inline void expect_problems(std::span<const Wrong> rows) {
  for (const Wrong& row : rows) {
    SCOPED_TRACE(row.name);
    const LoadedConfig loaded =
        load_config_text(std::string(kHead) + std::string(row.text), "/etc/b/c.toml");
    EXPECT_EQ(all_text(loaded.problems), std::string(row.problem) + "\n");
    EXPECT_EQ(loaded.usable(), !row.problem.contains(": error: "));
  }
}

}  // namespace bartizan
