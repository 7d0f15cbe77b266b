#include "policy/text/match.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bartizan {
namespace {

std::string_view first_segment(std::string_view text) {
  return text.substr(0, text.find('/'));
}

/// Whether one segment matches. The leftmost place of each literal piece is enough, as more room
/// after a `*` never hurts.
bool matches_segment(std::string_view pattern, std::string_view text) {
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  while (true) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) return text.ends_with(pattern);
    const std::size_t place = text.find(pattern.substr(0, star));
    if (place == std::string_view::npos) return false;
    text.remove_prefix(place + star);
  }
}

/// Whether two patterns of one segment match a common text. Cell (i, j) is the answer for their
/// rests from i and j. Both are read from the end.
bool segments_meet(std::string_view one, std::string_view other) {
  std::vector<char> below(other.size() + 1, 0);
  std::vector<char> row(other.size() + 1, 0);
  for (std::size_t i = one.size() + 1; i-- > 0;) {
    for (std::size_t j = other.size() + 1; j-- > 0;) {
      const bool one_ends = i == one.size();
      const bool other_ends = j == other.size();
      bool meets = one_ends && other_ends;
      // A star matches nothing, or one more character of the other.
      if (!one_ends && one[i] == '*')
        meets = meets || below[j] != 0 || (!other_ends && row[j + 1] != 0);
      if (!other_ends && other[j] == '*')
        meets = meets || row[j + 1] != 0 || (!one_ends && below[j] != 0);
      if (!one_ends && !other_ends && one[i] == other[j]) meets = meets || below[j + 1] != 0;
      row[j] = meets ? 1 : 0;
    }
    std::swap(row, below);
  }
  return below.front() != 0;
}

}  // namespace

bool Glob::matches(std::string_view text) const {
  std::string_view pattern = pattern_;
  while (true) {
    if (pattern == "**") return true;
    const std::string_view want = first_segment(pattern);
    const std::string_view have = first_segment(text);
    if (!matches_segment(want, have)) return false;
    const bool pattern_ends = want.size() == pattern.size();
    const bool text_ends = have.size() == text.size();
    if (pattern_ends || text_ends) return pattern_ends && text_ends;
    pattern.remove_prefix(want.size() + 1);
    text.remove_prefix(have.size() + 1);
  }
}

bool Glob::meets(const Glob& other) const {
  std::string_view one = pattern_;
  std::string_view two = other.pattern_;
  while (true) {
    if (one == "**" || two == "**") return true;
    const std::string_view first = first_segment(one);
    const std::string_view second = first_segment(two);
    if (!segments_meet(first, second)) return false;
    const bool one_ends = first.size() == one.size();
    const bool two_ends = second.size() == two.size();
    if (one_ends || two_ends) return one_ends && two_ends;
    one.remove_prefix(first.size() + 1);
    two.remove_prefix(second.size() + 1);
  }
}

bool Glob::is_well_formed() const {
  const std::size_t place = pattern_.find("**");
  if (place == std::string::npos) return !pattern_.empty();
  return place + 2 == pattern_.size() && (place == 0 || pattern_[place - 1] == '/');
}

bool Glob::covers(const Glob& other) const {
  // Read as text, the other's `*` is inside one segment, like the text that it matches. Its `**`
  // matches several segments, which only a `**` of this glob covers.
  const bool many = other.pattern_ == "**" || other.pattern_.ends_with("/**");
  if (many && pattern_ != "**" && !pattern_.ends_with("/**")) return false;
  return matches(other.pattern_);
}

}  // namespace bartizan
