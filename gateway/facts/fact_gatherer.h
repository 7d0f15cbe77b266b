#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "policy/verdict/gathered_facts.h"

namespace bartizan {

/// Answers a question by looking; may block.
using AnswerQuestion = std::function<Finding(const FactQuery&)>;
/// Asks this host's disk or resolver.
Finding look_outside(const FactQuery& question);

/// Answers policy's questions about the outside world, on threads of its own. A file system or name
/// server that hangs blocks one of these threads, never a worker. The threads for the disk and
/// those for names are separate. One caller uses at most half of either, and waits only for its own
/// questions. A question is left unanswered after `limits::gathering_timeout`, or if too many are
/// waiting. Nothing is cached: each call is judged by the state at its arrival.
///
/// Threads:  `gather` on any worker, `close` on any. Threads start with the first question that
/// needs them.
/// Lifetime: closed or destroyed before the loops that wait for it. A thread that hangs then is
/// abandoned, and touches nothing any more.
class FactGatherer {
 public:
  explicit FactGatherer(AnswerQuestion answer = look_outside);
  FactGatherer(const FactGatherer&) = delete;
  FactGatherer& operator=(const FactGatherer&) = delete;
  ~FactGatherer();

  /// Returns each question with its answer, in their order.
  Task<std::vector<GatheredFact>> gather(Loop& loop, std::string_view caller,
                                         std::vector<FactQuery> questions);

  /// After its return no loop is touched, and no question is answered.
  void close();

 private:
  class Crew;
  std::shared_ptr<Crew> disk_, names_;
};

}  // namespace bartizan
