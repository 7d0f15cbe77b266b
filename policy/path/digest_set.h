#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/predicate.h"
#include "policy/path/path.h"

namespace bartizan {

/// `digest = { sha256, path }`, compiled.
///
/// Threads: immutable once built.
class DigestSet {
 public:
  /// Input: the place of the file that the value names; nothing for the digest of the value itself.
  DigestSet(const DigestPredicate& digest, std::optional<PathRules> path);

  /// The place where the named file must lie, if the value names a file.
  const std::optional<PathRules>& path() const { return path_; }
  /// Whether the set has this digest. Input: lower-case hex.
  bool has(std::string_view sha256) const;
  /// Whether the set has the digest of these bytes. Cost: linear; memory for the library's state.
  /// Source: FIPS 180-4.
  bool has_digest_of(std::string_view bytes) const;

 private:
  std::vector<std::string> digests_;  ///< Sorted.
  std::optional<PathRules> path_;
};

}  // namespace bartizan
