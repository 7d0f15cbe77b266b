#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "schemas/json/json.h"
#include "schemas/json/json_equal.h"

namespace bartizan {

/// What the schemas that a value fits say of its members: which they name, and which objects they
/// say all about. An evaluation writes it down on its way, and takes back what it wrote in a branch
/// that did not fit.
///
/// Lifetime: views the value's document.
/// Cost:     nothing is allocated for the first few hundred members.
class NamedMembers {
 public:
  /// Whether only `properties` names a member, or everything that restricts what it may be.
  enum class By : std::uint8_t { properties, any_keyword };
  /// How much was written down.
  struct Extent {
    std::size_t named = 0, closed = 0;
  };

  explicit NamedMembers(By by) : by_(by) {}

  By by() const { return by_; }
  void name(JsonValue member) { named_.push_back(member.raw().data()); }
  /// Nothing but what is named belongs into that object.
  void close(JsonValue object) { closed_.push_back(object); }
  Extent extent() const { return {named_.size(), closed_.size()}; }
  void roll_back(Extent to);

  /// Puts in order what was written down, so that the others can be asked. A step for each member.
  void sort(StepBudget& budget);
  bool has(JsonValue member) const;
  /// Members of closed objects that nothing names, in the order of the value, at most so many. A
  /// step for each member; fewer than there are once the budget is spent.
  std::vector<JsonValue> find_unnamed(std::size_t most, StepBudget& budget) const;

 private:
  static constexpr std::size_t kFewMembers = 256;
  static constexpr std::size_t kFewObjects = 64;

  By by_;
  /// By the first byte of the value, which no other has.
  boost::container::small_vector<const char*, kFewMembers> named_;
  boost::container::small_vector<JsonValue, kFewObjects> closed_;
};

}  // namespace bartizan
