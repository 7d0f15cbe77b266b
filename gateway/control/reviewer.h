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

/// The checks of a configuration before and after it is loaded.
struct Review {
  /// Finds problems of the configuration itself. It only computes, so its result is awaited.
  std::function<ConfigProblems(const Config&)> find_problems;
  /// Finds problems of files and programs on this machine, for a configuration without other
  /// problems. May block. Without a result in time, the configuration is refused.
  std::function<ConfigProblems(const Config&)> find_machine_problems;
  /// Finds what the configuration permits and the previous one refused. It only computes, and often
  /// checks whether it must stop. No code waits for it.
  std::function<ConfigProblems(const ConfigSources& before, const Config&,
                               const std::function<bool()>& is_over)>
      find_widening;
  /// Gets these findings, on the loop.
  std::function<void(const ConfigProblems&)> tell_widening;
};

/// Reviews configurations on threads of its own. A root, folder, secret or certificate may be on a
/// disk that hangs, and the loop must continue meanwhile. There is one review at a time, so a
/// hanging disk blocks one thread at most. There is also one comparison at a time, which needs no
/// disk.
///
/// Threads:  `review` and `compare` on one loop.
/// Lifetime: ends before that loop. A comparison that goes on then ends soon; a thread that hangs
///           is left behind, and touches nothing any more.
class Reviewer {
 public:
  /// The time for the review of files and programs.
  static constexpr std::chrono::seconds kDeadline{10};

  explicit Reviewer(Review review);
  Reviewer(const Reviewer&) = delete;
  Reviewer& operator=(const Reviewer&) = delete;
  ~Reviewer();

  /// The results of both reviews. A configuration is refused if its review does not end in time, or
  /// if the previous review still hangs.
  Task<Reloaded<ConfigProblems>> review(Loop& loop, Config config);

  /// Compares a loaded configuration with the previous one, and reports the result. If another
  /// configuration is loaded meanwhile, it replaces this one in the comparison.
  void compare(Loop& loop, std::shared_ptr<const ConfigSources> before, Config after);

 private:
  class Desk;
  Review review_;
  std::shared_ptr<Desk> desk_;
};

}  // namespace bartizan
