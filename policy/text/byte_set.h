#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace bartizan {

/// A set of some of the 256 byte values. NUL is in no set, so runs of a set never cross one.
class ByteSet {
 public:
  /// Parses the members as in the brackets of a pattern: `A-Za-z0-9_-`. A dash at the start or end
  /// is itself.
  constexpr explicit ByteSet(std::string_view members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto first = static_cast<unsigned char>(members[i]);
      auto last = first;
      if (i + 2 < members.size() && members[i + 1] == '-') {
        last = static_cast<unsigned char>(members[i + 2]);
        i += 2;
      }
      for (unsigned c = first; c <= last; ++c)
        holds_[c] = c != 0;
    }
  }

  constexpr bool holds(char c) const { return holds_[static_cast<unsigned char>(c)]; }

  /// All other bytes without NUL.
  constexpr ByteSet others() const {
    ByteSet set("");
    for (std::size_t c = 1; c < holds_.size(); ++c)
      set.holds_[c] = !holds_[c];
    return set;
  }

  constexpr bool operator==(const ByteSet&) const = default;

 private:
  std::array<bool, 256> holds_ = {};
};

/// The bytes of words and numbers.
inline constexpr ByteSet kWordBytes("A-Za-z0-9");

}  // namespace bartizan
