#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/problems.h"
#include "config/redaction.h"

namespace bartizan {

/// What the gitleaks files of a configuration have used of their common limits.
struct GitleaksUse {
  std::size_t rules = 0;
  std::size_t allowed = 0;  ///< Patterns and stopwords of allowlists.
  std::size_t bytes = 0;    ///< Memory of the compiled patterns.
};

/// Adds the rules of a gitleaks file, version 8, to `detector`. Keys may be in any letter case, as
/// in gitleaks.
///
/// Input:  the file's bytes, and its number in `problems`.
/// Errors: reported at their places. Errors are a text of another format, `[extend]`, rules that
///         require others, patterns that RE2 refuses, and exceeded limits. Conditions on paths or
///         commits, which texts do not have, are warnings.
/// Source: gitleaks v8, README, "Configuration"; config/config.go, rule.go and allowlist.go.
void load_gitleaks(DetectorConfig& detector, std::string_view text, std::uint32_t file,
                   GitleaksUse& use, Problems& problems);

}  // namespace bartizan
