#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/position.h"

namespace bartizan {

/// What one pattern of such a file may need, in bytes, and all rules of a configuration together
/// with what RE2 learns while it matches them.
inline constexpr std::size_t kGitleaksPatternBytesMax = std::size_t{8} << 20;
inline constexpr std::size_t kGitleaksBytesMax = std::size_t{128} << 20;

/// `[allowlist]` or one of `[[allowlists]]` in a file of gitleaks': what is no secret although a
/// rule matches. What it says of paths and commits is not here, since texts have neither.
struct GitleaksAllowlist {
  /// What `regexes` are held against.
  enum class Target : std::uint8_t { secret, match, line };
  std::vector<std::string> regexes = {};    ///< RE2, on any part of the target.
  std::vector<std::string> stopwords = {};  ///< In small letters; parts of the secret.
  Target target = Target::secret;
  /// `condition = "AND"`: both have to hold, where both are there; else one is enough.
  bool needs_all = false;
};

/// One of `[[rules]]` in a file of gitleaks'.
struct GitleaksRule {
  std::string id = {};                     ///< `[A-Za-z0-9._-]{1,64}`.
  std::string regex = {};                  ///< RE2, on any part of a text.
  std::vector<std::string> keywords = {};  ///< In small letters; empty: none is needed.
  /// Indexes into the allowlists of its file: its own, and those that are for all rules.
  std::vector<std::size_t> allowlists = {};
  double entropy = 0;  ///< Bits for each character that the secret has more than; 0: any.
  /// The group that is the secret; 0: the first that is not empty, or the whole match.
  std::uint32_t secret_group = 0;
  Position where = {};
};

}  // namespace bartizan
