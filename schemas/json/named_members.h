#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "schemas/json/json.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// The members that the schemas of a valid value name, and the objects that the schemas close. An
/// evaluation fills it, and rolls back the entries of a branch that does not match.
///
/// Lifetime: points into the value's document.
/// Cost:     the first few hundred members need no allocation.
class NamedMembers {
 public:
  /// Whether only `properties` names a member, or any keyword that restricts its value.
  enum class By : std::uint8_t { properties, any_keyword };
  /// The number of entries.
  struct Extent {
    std::size_t named = 0, closed = 0;
  };

  explicit NamedMembers(By by) : by_(by) {}

  By by() const { return by_; }
  void name(JsonValue member) { named_.push_back(member.raw().data()); }
  /// Only named members are allowed in that object.
  void close(JsonValue object) { closed_.push_back(object); }
  Extent extent() const { return {named_.size(), closed_.size()}; }
  void roll_back(Extent to);

  /// Sorts the entries, which the functions below require. Takes a step for each member.
  void sort(StepBudget& budget);
  bool has(JsonValue member) const;
  /// The members of closed objects that no schema names, in the order of the value, at most `most`.
  /// Takes a step for each member, and returns fewer once the budget is spent.
  std::vector<JsonValue> find_unnamed(std::size_t most, StepBudget& budget) const;

 private:
  static constexpr std::size_t kFewMembers = 256;
  static constexpr std::size_t kFewObjects = 64;

  By by_;
  /// Identified by the first byte of the value, which is unique.
  boost::container::small_vector<const char*, kFewMembers> named_;
  boost::container::small_vector<JsonValue, kFewObjects> closed_;
};

}  // namespace bartizan
