#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/learn/capture.h"
#include "policy/learn/learn_values.h"
#include "policy/text/argument_pointer.h"

namespace bartizan {

/// What was seen of one tool, in all calls of it or in those of somebody.
///
/// Lifetime: views the capture.
/// Cost:     each call's arguments are read when it is added, and again when they are asked about.
class SeenTool {
 public:
  /// Whether a call has what a pointer leads to.
  enum class Presence : std::uint8_t {
    no,
    yes,
    partly  ///< In some elements of an array, or something else is where an array or object was.
  };

  void add(const CapturedCall& call);

  std::span<const CapturedCall* const> calls() const { return calls_; }
  std::size_t principals() const { return principals_.size(); }
  /// By pointer.
  const std::map<std::string, SeenValues, std::less<>>& values() const { return values_; }
  /// Pointers to the elements of empty arrays.
  const std::set<std::string, std::less<>>& empty() const { return empty_; }
  /// Pointers that no policy can spell.
  const std::set<std::string, std::less<>>& unnameable() const { return unnameable_; }

  /// What a call has of these.
  static std::vector<Presence> find_presence(const CapturedCall& call,
                                             std::span<const std::string> pointers);
  /// The pointers to what some calls leave out and others have.
  std::set<std::string, std::less<>> find_left_out() const;
  /// The pointers to what was a value in one call and an array or an object in another, or one of
  /// these and then the other: a predicate is about one shape.
  std::vector<std::string> find_mixed_shapes() const;

 private:
  void add(JsonValue value, const std::string& pointer);

  std::vector<const CapturedCall*> calls_ = {};
  std::map<std::string, SeenValues, std::less<>> values_ = {};
  std::set<std::string, std::less<>> empty_ = {};
  std::set<std::string, std::less<>> principals_ = {};
  std::set<std::string, std::less<>> unnameable_ = {};
};

}  // namespace bartizan
