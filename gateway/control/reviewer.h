#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "gateway/worker/reload_status.h"

namespace bartizan {

/// What is looked at before a configuration is loaded. Both may block.
struct Review {
  /// Says what is wrong with it. Without an answer it is refused.
  std::function<std::vector<ConfigProblem>(const Config&)> find_problems;
  /// Says what it lets through that the one before did not, of one without errors. Asks often
  /// whether it is over. Without an answer in time there is only a warning.
  std::function<std::vector<ConfigProblem>(const Config&, const std::function<bool()>& is_over)>
      find_widening;
};

/// Reviews configurations on a thread of its own: a root, folder, secret or certificate may be on a
/// disk that hangs, and the loop that asks goes on serving meanwhile. One at a time: while a review
/// hangs there is no other, so that no more than one thread is ever held.
///
/// Threads:  `review` on one loop.
/// Lifetime: ends before that loop. A comparison that goes on then ends soon; a thread that hangs
/// is
///           left behind, and touches nothing any more.
class Reviewer {
 public:
  /// How long a configuration is waited for.
  static constexpr std::chrono::seconds kDeadline{10};

  explicit Reviewer(Review review);
  Reviewer(const Reviewer&) = delete;
  Reviewer& operator=(const Reviewer&) = delete;
  ~Reviewer();

  /// What both say, or a warning in place of the second. Refuses what is not found sound within the
  /// deadline, and whatever comes while the one before still hangs.
  Task<Reloaded<std::vector<ConfigProblem>>> review(Loop& loop, Config config);

 private:
  class Desk;
  Review review_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
