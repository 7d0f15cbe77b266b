#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/base/result.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

/// A compiled gitleaks allowlist: matches of a rule that are not secrets. Immutable.
class AllowedTexts {
 public:
  /// Errors: config_invalid, as when a configuration is loaded.
  static Result<AllowedTexts> compile(const GitleaksAllowlist& allowlist);

  /// A match of a rule, with its secret and its line.
  struct Finding {
    std::string_view secret, match, line;
  };

  /// Whether the allowlist accepts the finding.
  /// Cost: one pass over the target for each pattern. With stopwords, also a dozen comparisons for
  ///       each byte of the secret.
  bool allow(const Finding& finding) const;

 private:
  AllowedTexts() = default;
  bool hold_stopword(std::string_view secret) const;

  std::vector<CompiledPattern> regexes_;
  std::vector<std::string> stopwords_;  ///< Sorted; none begins with another.
  GitleaksAllowlist::Target target_ = GitleaksAllowlist::Target::secret;
  bool needs_all_ = false;
};

}  // namespace bartizan
