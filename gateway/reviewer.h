#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "config/load_config.h"
#include "gateway/loop.h"
#include "gateway/reload_status.h"
#include "gateway/task.h"
#include "gateway/wider.h"

namespace bartizan {

/// Says what is wrong with a configuration; may block.
using ReviewConfig = std::function<std::vector<ConfigProblem>(const Config&)>;

/// Reviews configurations on a thread of its own: a root, folder, secret or certificate may be on a
/// disk that hangs, and the loop that asks goes on serving meanwhile. One at a time: while a review
/// hangs there is no other, so that no more than one thread is ever held.
///
/// Threads:  `review` on one loop.
/// Lifetime: ends before that loop. A thread that hangs then is left behind, and touches nothing
///           any more.
class Reviewer {
 public:
  /// How long a configuration is waited for.
  static constexpr std::chrono::seconds kDeadline{10};

  explicit Reviewer(ReviewConfig review = review_next_config);
  Reviewer(const Reviewer&) = delete;
  Reviewer& operator=(const Reviewer&) = delete;
  ~Reviewer();

  /// What `review_next_config` says. Refuses what is not reviewed within the deadline, and whatever
  /// comes while the one before still hangs.
  Task<Reloaded<std::vector<ConfigProblem>>> review(Loop& loop, Config config);

 private:
  class Desk;
  ReviewConfig review_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
