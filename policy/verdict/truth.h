#pragma once

#include <cstdint>

namespace bartizan {

/// What is known of a question: which of its three answers it can have. A question about one call
/// has one; about calls that are not known yet, several may be possible.
class Truth {
 public:
  constexpr bool can_be_false() const { return (answers_ & kFalse) != 0; }
  constexpr bool can_be_undecidable() const { return (answers_ & kUndecidable) != 0; }
  constexpr bool can_be_true() const { return (answers_ & kTrue) != 0; }
  constexpr bool operator==(const Truth&) const = default;

  /// Both: false where one is, else undecidable where one is.
  friend constexpr Truth operator&(Truth one, Truth other) {
    const unsigned either = one.answers_ | other.answers_;
    const unsigned neither_false = (one.answers_ & ~kFalse) != 0 && (other.answers_ & ~kFalse) != 0
                                       ? either & kUndecidable
                                       : 0U;
    return Truth((either & kFalse) | neither_false | (one.answers_ & other.answers_ & kTrue));
  }

  static const Truth no, undecidable, yes, any;

 private:
  static constexpr unsigned kFalse = 1, kUndecidable = 2, kTrue = 4;
  explicit constexpr Truth(unsigned answers) : answers_(static_cast<std::uint8_t>(answers)) {}
  std::uint8_t answers_;
};

inline constexpr Truth Truth::no{kFalse};
inline constexpr Truth Truth::undecidable{kUndecidable};
inline constexpr Truth Truth::yes{kTrue};
inline constexpr Truth Truth::any{kFalse | kUndecidable | kTrue};

}  // namespace bartizan
