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
/// Asks the disk and the resolver of this machine.
Finding look_outside(const FactQuery& question);

/// Finds out what policy asks of the world outside, on threads of its own: a file system or a name
/// server that hangs holds one of these, never a worker. Those for the disk and those for names are
/// apart. One caller holds at most half of either, and waits for its own; what is not answered
/// within `limits::gathering_timeout`, or finds too many that wait, is not found out. Nothing is
/// kept: each call is judged by what was so when it came.
///
/// Threads:  `gather` on any worker, `close` on any. The threads begin with the first question that
///           needs them.
/// Lifetime: closed, or ended, before the loops that wait for it end. A thread that hangs then is
///           left behind, and touches nothing any more.
class FactGatherer {
 public:
  explicit FactGatherer(AnswerQuestion answer = look_outside);
  FactGatherer(const FactGatherer&) = delete;
  FactGatherer& operator=(const FactGatherer&) = delete;
  ~FactGatherer();

  /// Each question with its answer, in their order.
  Task<std::vector<GatheredFact>> gather(Loop& loop, std::string_view caller,
                                         std::vector<FactQuery> questions);

  /// From its return on no loop is touched, and nothing is found out.
  void close();

 private:
  class Crew;
  std::shared_ptr<Crew> disk_, names_;
};

}  // namespace bartizan
