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

/// A predicate that was made of values, with the place that it names, if it is about paths.
struct LearnedPredicate {
  Predicate predicate;
  std::optional<PathConfig> path = {};  ///< Without a name, which the predicate lacks as well.
};

/// Where the values of one argument go.
struct ArgumentUse {
  /// Whether profiles compact texts before they are judged.
  enum class Form : std::uint8_t { as_sent, compacted } form = Form::as_sent;
  std::string_view pointer = {};
  std::string_view cwd = {};  ///< Of the server; empty where nobody knows.
};

/// The values that were seen where one pointer leads.
class SeenValues {
 public:
  /// Input: a scalar, or an empty object.
  void add(JsonValue value);
  std::size_t count() const { return count_; }
  /// How many different ones.
  std::size_t distinct() const { return values_.size(); }

  /// The narrowest predicate of its kind that lets all of them pass: paths below the longest root
  /// that they share, URLs by their hosts, numbers by their range, a few values one by one, other
  /// texts by their length and characters. Of relative paths there are more than a few, and they
  /// start from where the server runs. Nothing where no predicate could: texts beside numbers,
  /// null, an empty object.
  std::optional<LearnedPredicate> learn(const ArgumentUse& use) const;
  /// Whether these are relative paths, as far as anybody can tell.
  bool are_relative_paths(std::string_view pointer) const;

 private:
  struct Kinds {
    bool texts = false, numbers = false, booleans = false, others = false;
  };

  bool fits(const LearnedPredicate& learned, std::string_view cwd) const;
  std::optional<LearnedPredicate> learn_text(const ArgumentUse& use) const;

  std::size_t count_ = 0;
  Kinds kinds_ = {};
  std::set<std::string, std::less<>> values_ = {};  ///< As JSON, each as it was spelled.
  std::set<std::string, std::less<>> texts_ = {};   ///< Those that are strings, unescaped.
};

}  // namespace bartizan
