#pragma once

#include <string>
#include <utility>

#include "config/config.h"
#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// Whether the sandbox limits all processes of a server together.
bool wants_control_group(const SandboxConfig& sandbox);

/// A control group (cgroup v2). It limits the memory, the number and the processor time of its
/// processes. The destructor kills these processes and removes the group.
class ControlGroup {
 public:
  /// Creates a group below the gateway's own group, which must be delegated to the gateway: the
  /// folder is writable, and the needed controllers are available. The gateway's own processes move
  /// to a sibling group, as a group that enables controllers for its children has no processes.
  ///
  /// Errors: server_failed, with what is missing and how to provide it.
  /// Source: cgroups(7); Control Group v2, "Delegation" and "No Internal Process Constraint".
  static Result<ControlGroup> make(const SandboxConfig& sandbox);

  ControlGroup(ControlGroup&& other) noexcept
      : parent_(std::move(other.parent_)),
        name_(std::exchange(other.name_, {})),
        processes_(std::move(other.processes_)),
        killed_(std::move(other.killed_)),
        turn_(std::move(other.turn_)) {}
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();

  /// Moves the calling process into the group. False, with errno, if the kernel refuses.
  bool enter() const;
  /// Marks the group as used. Before this call, a lock keeps other keepers from removing the empty
  /// group as a leftover.
  void begin();
  /// Leaves the removal of the group to its owner in another process.
  void disown() { name_.clear(); }

 private:
  ControlGroup() = default;

  Descriptor parent_;     ///< The folder of the gateway's group.
  std::string name_;      ///< In that folder.
  Descriptor processes_;  ///< `cgroup.procs`.
  Descriptor killed_;     ///< `cgroup.kill`; none before Linux 5.14.
  Descriptor turn_;       ///< Locked while the group is new and empty.
};

}  // namespace bartizan
