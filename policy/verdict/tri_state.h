#pragma once

#include <cstdint>

namespace bartizan {

/// What is known of a question: which of its three answers it can have. A question about one call
/// has one; about calls that are not known yet, several may be possible.
class TriState {
 public:
  constexpr bool can_be_false() const { return (answers_ & kFalse) != 0; }
  constexpr bool can_be_undecidable() const { return (answers_ & kUndecidable) != 0; }
  constexpr bool can_be_true() const { return (answers_ & kTrue) != 0; }
  constexpr bool operator==(const TriState&) const = default;

  /// Both: false where one is, else undecidable where one is.
  friend constexpr TriState operator&(TriState one, TriState other) {
    const unsigned either = one.answers_ | other.answers_;
    const unsigned neither_false = (one.answers_ & ~kFalse) != 0 && (other.answers_ & ~kFalse) != 0
                                       ? either & kUndecidable
                                       : 0U;
    return TriState((either & kFalse) | neither_false | (one.answers_ & other.answers_ & kTrue));
  }

  static const TriState no, undecidable, yes, any;

 private:
  static constexpr unsigned kFalse = 1, kUndecidable = 2, kTrue = 4;
  explicit constexpr TriState(unsigned answers) : answers_(static_cast<std::uint8_t>(answers)) {}
  std::uint8_t answers_;
};

inline constexpr TriState TriState::no{kFalse};
inline constexpr TriState TriState::undecidable{kUndecidable};
inline constexpr TriState TriState::yes{kTrue};
inline constexpr TriState TriState::any{kFalse | kUndecidable | kTrue};

}  // namespace bartizan
