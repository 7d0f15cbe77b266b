#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schemas/base/result.h"
#include "schemas/schema/schema_pattern.h"

namespace bartizan {

/// An allowlist of gitleaks', compiled: what is no secret although a rule matches. Immutable.
class AllowedTexts {
 public:
  /// Errors: config_invalid, for what loading a configuration refuses.
  static Result<AllowedTexts> compile(const GitleaksAllowlist& allowlist);

  /// What a rule found, and where.
  struct Finding {
    std::string_view secret, match, line;
  };

  /// Cost: one pass over the target for each pattern, and a dozen comparisons for each byte of the
  /// secret where there are stopwords.
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
