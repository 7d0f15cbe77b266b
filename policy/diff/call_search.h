#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

#include "policy/diff/diff_edges.h"
#include "policy/explain/case_call.h"

namespace bartizan {

/// What two policies say of one call.
struct BothAnswers {
  CaseAnswer before, after;

  bool is_permitted_before() const { return !before.decision.denies(); }
  bool is_permitted_after() const { return !after.decision.denies(); }
  bool is_dead() const { return !is_permitted_before() && !is_permitted_after(); }
};

/// The calls of one caller and target that are still to be tried: those nearest to what is likely
/// come first. What both policies refuse leads on only by the value that a refusal points at; what
/// one permits leads to all calls that differ from it in few values.
class CallSearch {
 public:
  explicit CallSearch(const CallEdges& edges);

  /// The next call's values; null at the end.
  const CallValues* next();
  /// What was said of the latest one.
  void follow(const BothAnswers& answers);

  bool is_finished() const { return waiting_.empty(); }

 private:
  struct Step {
    CallValues values;
    std::size_t changes = 0;  ///< Since a call that either permits, …
    bool has_permit = false;  ///< … if there was one on the way.
  };

  void push(Step step);

  const CallEdges& edges_;
  Step at_;
  std::deque<Step> waiting_;
  std::set<CallValues> seen_;
  std::size_t tries_ = 0;
};

}  // namespace bartizan
