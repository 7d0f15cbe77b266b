#pragma once

#include <cstdint>

namespace bartizan {

/// The possible answers to a question: false, undecidable, true. A question about one call has one
/// answer. A question about unknown calls may have several.
class TriState {
 public:
  constexpr bool can_be_false() const { return (answers_ & kFalse) != 0; }
  constexpr bool can_be_undecidable() const { return (answers_ & kUndecidable) != 0; }
  constexpr bool can_be_true() const { return (answers_ & kTrue) != 0; }
  constexpr bool operator==(const TriState&) const = default;

  /// Both: false if one is false, otherwise undecidable if one is undecidable.
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
