#pragma once

#include <string>
#include <string_view>

namespace bartizan {

/// A glob over names with `/` between segments: `*` matches within one segment, `**` only as the
/// last whole segment; nothing else is special. Linear time.
class Glob {
 public:
  explicit Glob(std::string pattern) : pattern_(std::move(pattern)) {}
  bool matches(std::string_view text) const;
  /// Whether it has no wildcard, and so names one thing.
  bool is_literal() const { return pattern_.find('*') == std::string::npos; }
  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
};

}  // namespace bartizan
