#pragma once

#include <sys/types.h>

#include <functional>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// Becomes the parent of orphaned descendants, also of processes with their own session. False,
/// with errno, if it cannot, or cannot list its children (`/proc` is not mounted).
/// Source: prctl(2), PR_SET_CHILD_SUBREAPER; proc(5), `/proc/PID/task/TID/children`.
bool adopt_descendants();

/// Becomes readable when a child of this process has ended. Blocks SIGCHLD and no other signal.
///
/// Threads: in a single-threaded process. Children that ended earlier are not reported.
class ChildWatch {
 public:
  ChildWatch();
  int get() const { return ends_.get(); }
  /// Acknowledges the ends so far; only a later end is reported.
  void clear() const;

 private:
  Descriptor ends_;
};

/// Kills and reaps the children of this process for which `spares` is false, and then those that
/// become its children by that, until there are none. It gives up after ten thousand rounds, at
/// least ten seconds. A process in an uninterruptible wait ends later, by the same signal.
/// Cost: reads the list of its children in each round; a process dies in one round.
void kill_children(const std::function<bool(pid_t)>& spares);

}  // namespace bartizan
