#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/check/changed_schema.h"
#include "policy/text/argument_pointer.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What the profiles of one tool change in its arguments before anything is judged: values that are
/// forced, and texts that are compacted. What is judged is what these have made of a call.
///
/// Threads: immutable once built.
class ArgumentRewrites {
 public:
  /// Forces a value at a pointer of members, where it is missing too. `json` is one scalar.
  void force(std::span<const PointerSegment> pointer, const std::string& json);
  /// Compacts every string that the pointer selects; see `compacted`.
  void compact(std::vector<PointerSegment> pointer) { compact_.push_back(std::move(pointer)); }
  bool forces() const { return !fixed_.empty(); }
  bool empty() const { return fixed_.empty() && compact_.empty(); }

  /// The message with its arguments as they are to be judged; nothing where they are so already.
  /// What has another shape than a pointer expects is left to the predicates, which refuse it.
  ///
  /// Input: a `tools/call` that was read from `bytes`. Cost: one pass over what pointers select.
  std::optional<std::string> apply(const Message& message, std::string_view bytes) const;

  /// An input schema without the properties that are forced. `bytes` is what it was read from.
  std::string without_forced(JsonValue schema, std::string_view bytes) const;

 private:
  /// A forced value, or an object with such.
  struct Fixed {
    std::string name;
    std::string json;  ///< Empty for an object.
    std::vector<Fixed> members;
  };
  bool is_forced(std::span<const PointerSegment> pointer) const;

  class Edits;
  static std::vector<PropertyChange> left_out(const std::vector<Fixed>& fixed);

  std::vector<Fixed> fixed_;
  std::vector<std::vector<PointerSegment>> compact_;
};

/// A text in which each run of white space that has a tab or the end of a line is one blank.
/// Nothing where it is so already.
std::optional<std::string> compacted(std::string_view text);

}  // namespace bartizan
