#pragma once

#include <sys/types.h>

#include <functional>

namespace bartizan {

/// Becomes the parent of whatever its descendants leave behind, also of processes with a session of
/// their own. False, and errno, when it cannot.
/// Source: prctl(2), PR_SET_CHILD_SUBREAPER.
bool adopt_descendants();

/// Kills and reaps this process's children for which `spares` is false, and then those that become
/// its children by that, until there is none. Gives up after ten seconds: a process in an
/// uninterruptible wait ends later, by the same signal.
/// Cost: reads the list of processes in /proc in each round; a process dies in one.
void kill_children(const std::function<bool(pid_t)>& spares);

}  // namespace bartizan
