#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "config/config.h"
#include "config/config_problem.h"
#include "config/config_sources.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "gateway/worker/reload_status.h"

namespace bartizan {

using ConfigProblems = std::vector<ConfigProblem>;

/// What is looked at of a configuration before it is loaded, and once it is.
struct Review {
  /// Says what is wrong with it by itself. Computes alone, so that its answer is waited for.
  std::function<ConfigProblems(const Config&)> find_problems;
  /// Says what is wrong with what it names on this machine, of one that is sound by itself. May
  /// block. Without an answer in time the configuration is refused.
  std::function<ConfigProblems(const Config&)> find_machine_problems;
  /// Says what it lets through that the one before did not. Computes alone, and asks often whether
  /// it is over. Nobody waits for it.
  std::function<ConfigProblems(const ConfigSources& before, const Config&,
                               const std::function<bool()>& is_over)>
      find_widening;
  /// Is told on the loop what the latter found.
  std::function<void(const ConfigProblems&)> tell_widening;
};

/// Reviews configurations on threads of its own: a root, folder, secret or certificate may be on a
/// disk that hangs, and the loop that asks goes on serving meanwhile. One review at a time: while
/// one hangs there is no other, so that no more than one thread is ever held by a disk. And one
/// comparison, which needs no disk.
///
/// Threads:  `review` and `compare` on one loop.
/// Lifetime: ends before that loop. A comparison that goes on then ends soon; a thread that hangs
///           is left behind, and touches nothing any more.
class Reviewer {
 public:
  /// How long what a configuration names is waited for.
  static constexpr std::chrono::seconds kDeadline{10};

  explicit Reviewer(Review review);
  Reviewer(const Reviewer&) = delete;
  Reviewer& operator=(const Reviewer&) = delete;
  ~Reviewer();

  /// What both say. Refuses what is not found sound within the deadline, and whatever comes while
  /// the one before still hangs.
  Task<Reloaded<ConfigProblems>> review(Loop& loop, Config config);

  /// Compares a configuration that was loaded with the one before, and tells of it. One that is
  /// loaded while another is being compared takes its place, and is compared with what the other
  /// was to be compared with.
  void compare(Loop& loop, std::shared_ptr<const ConfigSources> before, Config after);

 private:
  class Desk;
  Review review_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
