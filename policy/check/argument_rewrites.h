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

/// The changes that the profiles of one tool make to its arguments: forced values and compacted
/// texts. They are made before anything is judged, so the changed arguments are judged.
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

  /// The message with the changed arguments; nothing if there is no change. A value of another
  /// shape than a pointer expects stays: the predicates refuse it.
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

/// The text with one blank for each run of white space that has a tab or a line end. Nothing if
/// there is no such run.
std::optional<std::string> compacted(std::string_view text);

}  // namespace bartizan
