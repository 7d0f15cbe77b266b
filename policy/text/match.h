#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bartizan {

/// A glob over names with `/` between segments. `*` stands for any run of bytes within one segment,
/// also for none; `**`, only as the last whole segment, for one or more whole segments; nothing
/// else is special, and letter case counts. `files/**` matches `files/a` and `files/a/b`, and
/// `files` not.
///
/// Cost: linear in the text for a given pattern, no backtracking over it.
class Glob {
 public:
  explicit Glob(std::string pattern) : pattern_(std::move(pattern)) {}
  bool matches(std::string_view text) const;
  /// Whether it has no wildcard, and so names one thing.
  bool is_literal() const { return pattern_.find('*') == std::string::npos; }
  /// Whether `**` stands only where it means something. Elsewhere it is read as `*`.
  bool is_well_formed() const;
  /// Whether everything that `other` matches is surely matched by this one too. May miss some.
  bool covers(const Glob& other) const;
  /// Whether something is matched by both. Cost: the product of the two patterns' lengths.
  bool meets(const Glob& other) const;
  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
};

}  // namespace bartizan
