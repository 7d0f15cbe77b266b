#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// A glob over names with `/` between segments. `*` matches any bytes within one segment, also
/// none. `**`, only as the last whole segment, matches one or more whole segments. Nothing else is
/// special, and letter case counts. `files/**` matches `files/a` and `files/a/b`, but not `files`.
///
/// Cost: linear in the text for a given pattern, without backtracking.
class Glob {
 public:
  explicit Glob(std::string pattern) : pattern_(std::move(pattern)) {}
  bool matches(std::string_view text) const;
  /// Whether it has no wildcard, and so matches one name.
  bool is_literal() const { return pattern_.find('*') == std::string::npos; }
  /// Whether every `**` has its meaning. In another place it is read as `*`.
  bool is_well_formed() const;
  /// Whether this glob certainly matches everything that `other` matches. It may miss cases.
  bool covers(const Glob& other) const;
  /// Whether there is a name that both match. Cost: the product of the two patterns' lengths.
  bool meets(const Glob& other) const;
  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
};

}  // namespace bartizan
