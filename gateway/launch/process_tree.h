#pragma once

#include <sys/types.h>

#include <functional>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// Becomes the parent of whatever its descendants leave behind, also of processes with a session of
/// their own. False, and errno, when it cannot, or cannot list its children (`/proc` is not
/// mounted). Source: prctl(2), PR_SET_CHILD_SUBREAPER; proc(5), `/proc/PID/task/TID/children`.
bool adopt_descendants();

/// Becomes readable when a child of this process has ended. Blocks SIGCHLD and no other signal.
///
/// Threads: in a process of one thread. A child that ended before is not told of.
class ChildWatch {
 public:
  ChildWatch();
  int get() const { return ends_.get(); }
  /// What was told so far is known; only a later end is told of.
  void clear() const;

 private:
  Descriptor ends_;
};

/// Kills and reaps this process's children for which `spares` is false, and then those that become
/// its children by that, until there is none. Gives up after ten thousand rounds, ten seconds at
/// least: a process in an uninterruptible wait ends later, by the same signal.
/// Cost: reads the list of its children in each round; a process dies in one.
void kill_children(const std::function<bool(pid_t)>& spares);

}  // namespace bartizan
