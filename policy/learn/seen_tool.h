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

/// The seen calls of one tool: all of them, or those of some callers.
///
/// Lifetime: views the capture.
/// Cost:     each call's arguments are parsed when it is added, and again for each question.
class SeenTool {
 public:
  /// Whether a call has the value at a pointer.
  enum class Presence : std::uint8_t {
    no,
    yes,
    partly  ///< In some elements of an array, or the value on the way is not an array or object.
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

  /// Which of these pointers a call has.
  static std::vector<Presence> find_presence(const CapturedCall& call,
                                             std::span<const std::string> pointers);
  /// Pointers that some calls have and others lack.
  std::set<std::string, std::less<>> find_left_out() const;
  /// Pointers where calls differ in shape: a value, an array, or an object. A predicate is about
  /// one shape.
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
