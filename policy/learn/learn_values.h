#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/config.h"
#include "schemas/json/json.h"

namespace bartizan {

/// A predicate learned from values, with the place that it names if it is about paths.
struct LearnedPredicate {
  Predicate predicate;
  std::optional<PathConfig> path = {};  ///< Without a name; the predicate has none either.
};

/// The use of an argument's values.
struct ArgumentUse {
  /// Whether profiles compact texts before they are judged.
  enum class Form : std::uint8_t { as_sent, compacted } form = Form::as_sent;
  std::string_view pointer = {};
  std::string_view cwd = {};  ///< Of the server; empty if it is not known.
};

/// The values that were seen at one pointer.
class SeenValues {
 public:
  /// Input: a scalar, or an empty object.
  void add(JsonValue value);
  std::size_t count() const { return count_; }
  /// The number of different values.
  std::size_t distinct() const { return values_.size(); }

  /// The narrowest predicate that accepts all values: paths below the longest common root, URLs by
  /// host, numbers by range, a few values one by one, other texts by length and characters.
  /// Relative paths start at the server's working directory, and there must be more than a few.
  /// Nothing if no predicate fits: texts mixed with numbers, null, or an empty object.
  std::optional<LearnedPredicate> learn(const ArgumentUse& use) const;
  /// Whether the values seem to be relative paths.
  bool are_relative_paths(std::string_view pointer) const;

 private:
  struct Kinds {
    bool texts = false, numbers = false, booleans = false, others = false;
  };

  bool fits(const LearnedPredicate& learned, std::string_view cwd) const;
  std::optional<LearnedPredicate> learn_text(const ArgumentUse& use) const;

  std::size_t count_ = 0;
  Kinds kinds_ = {};
  std::set<std::string, std::less<>> values_ = {};  ///< As JSON, in their original spelling.
  std::set<std::string, std::less<>> texts_ = {};   ///< The strings among them, unescaped.
};

}  // namespace bartizan
