#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

#include "policy/diff/diff_edges.h"
#include "policy/explain/case_call.h"

namespace bartizan {

/// The answers of two policies to one call.
struct BothAnswers {
  CaseAnswer before, after;

  bool is_permitted_before() const { return !before.decision.denies(); }
  bool is_permitted_after() const { return !after.decision.denies(); }
  bool is_dead() const { return !is_permitted_before() && !is_permitted_after(); }
};

/// The calls of one caller and target that are still to be tried. Calls near the likeliest one come
/// first. A call that both policies refuse leads on only by the value that a refusal points at. A
/// call that either permits leads to all calls that differ from it in up to two values.
class CallSearch {
 public:
  explicit CallSearch(const CallEdges& edges);

  /// The values of the next call; null at the end.
  const CallValues* next();
  /// Takes the answers to the latest call.
  void follow(const BothAnswers& answers);

  bool is_finished() const { return waiting_.empty(); }

 private:
  struct Step {
    CallValues values;
    std::size_t changes = 0;  ///< Since the first permitted call, if there was one.
    bool has_permit = false;  ///< Whether either policy permitted a call on the way.
  };

  void push(Step step);

  const CallEdges& edges_;
  Step at_;
  std::deque<Step> waiting_;
  std::set<CallValues> seen_;
  std::size_t tries_ = 0;
};

}  // namespace bartizan
