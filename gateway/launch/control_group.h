#pragma once

#include <string>
#include <utility>

#include "config/config.h"
#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Whether the sandbox bounds all processes of a server together.
bool wants_control_group(const SandboxConfig& sandbox);

/// A control group (cgroup v2) that bounds the memory, the processes and the processor time of all
/// that is in it. Removed with its owner, which kills what is left in it.
class ControlGroup {
 public:
  /// Makes one below the gateway's own group, which must be delegated to it: its folder writable,
  /// and the controllers that the bounds need among those that it may hand on. The gateway's own
  /// processes move to a group beside it, since a group that hands on controllers has no processes.
  ///
  /// Errors:  server_failed, with what is missing and how to have it.
  /// Source:  cgroups(7); Control Group v2, "Delegation" and "No Internal Process Constraint".
  static Result<ControlGroup> make(const SandboxConfig& sandbox);

  ControlGroup(ControlGroup&& other) noexcept
      : parent_(std::move(other.parent_)),
        name_(std::exchange(other.name_, {})),
        processes_(std::move(other.processes_)),
        killed_(std::move(other.killed_)),
        turn_(std::move(other.turn_)) {}
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();

  /// Moves the calling process into it. False, and errno, where the kernel does not let it.
  bool enter() const;
  /// Until then no other keeper takes the empty group for one that was left.
  void begin();
  /// Leaves the group to another process's owner of it.
  void disown() { name_.clear(); }

 private:
  ControlGroup() = default;

  Descriptor parent_;     ///< The folder of the gateway's group.
  std::string name_;      ///< In that folder.
  Descriptor processes_;  ///< `cgroup.procs`.
  Descriptor killed_;     ///< `cgroup.kill`; none before Linux 5.14.
  Descriptor turn_;       ///< Locked while the group is made and still empty.
};

}  // namespace bartizan
