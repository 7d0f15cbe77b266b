#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/problems.h"
#include "config/redaction.h"

namespace bartizan {

/// What the files of rules of one configuration have used up of what they may together.
struct GitleaksUse {
  std::size_t rules = 0;
  std::size_t allowed = 0;  ///< Patterns and stopwords of allowlists.
  std::size_t bytes = 0;    ///< That the patterns need, compiled.
};

/// Takes the rules of a file of gitleaks', version 8, into `detector`. Keys may be in any letter
/// case, as they may be for gitleaks.
///
/// Input:  the file's bytes, and its number in `problems`.
/// Errors: each thing that cannot be done as the file says is a problem at its place. Errors are
///         what is no such file, `[extend]`, rules that require others, patterns that RE2 refuses,
///         and what goes beyond the bounds. Warnings are what looks at paths or commits, which
///         texts do not have.
/// Source: gitleaks v8, README, "Configuration"; config/config.go, rule.go and allowlist.go.
void load_gitleaks(DetectorConfig& detector, std::string_view text, std::uint32_t file,
                   GitleaksUse& use, Problems& problems);

}  // namespace bartizan
