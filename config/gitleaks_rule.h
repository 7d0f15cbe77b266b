#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// The memory limit of one compiled pattern in bytes. Also that of all rules of a configuration
/// together, including RE2's state during matching.
inline constexpr std::size_t kGitleaksPatternBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kGitleaksBytesMax = std::size_t{128} << 20;

/// `[allowlist]`, or one of `[[allowlists]]`, of a gitleaks file: exceptions from matches of rules.
/// Conditions on paths and commits are left out, because texts have neither.
struct GitleaksAllowlist {
  /// The text that `regexes` are matched against.
  enum class Target : std::uint8_t { secret, match, line };
  std::vector<std::string> regexes = {};    ///< RE2, on any part of the target.
  std::vector<std::string> stopwords = {};  ///< Lower case; matched in any part of the secret.
  Target target = Target::secret;
  /// `condition = "AND"`: both lists must match if both are present. Otherwise one match is enough.
  bool needs_all = false;
};

/// One of `[[rules]]` of a gitleaks file.
struct GitleaksRule {
  std::string id = {};                     ///< `[A-Za-z0-9._-]{1,64}`.
  std::string regex = {};                  ///< RE2, on any part of a text.
  std::vector<std::string> keywords = {};  ///< Lower case. Empty: none required.
  /// Indexes into the file's allowlists: the rule's own, and those for all rules.
  std::vector<std::size_t> allowlists = {};
  double entropy = 0;  ///< Minimum entropy of the secret, in bits per character, exclusive; 0: any.
  /// The capture group with the secret. 0: the first group that is not empty, or the whole match.
  std::uint32_t secret_group = 0;
  Position where = {};
};

}  // namespace bartizan
