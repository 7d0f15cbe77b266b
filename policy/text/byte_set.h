#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace bartizan {

/// Some of the 256 bytes. NUL is in none: what is made of sets never reaches over one.
class ByteSet {
 public:
  /// Reads members as brackets of a pattern have them: `A-Za-z0-9_-`. A dash that stands first or
  /// last is itself.
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

  /// The bytes that are in neither this nor NUL.
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

/// What words and numbers are written with.
inline constexpr ByteSet kWordBytes("A-Za-z0-9");

}  // namespace bartizan
