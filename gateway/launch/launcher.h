#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "gateway/launch/child_process.h"
#include "gateway/process/descriptor.h"
#include "schemas/base/result.h"

namespace bartizan {

/// How a server's program is started. It comes from the configuration only, never from a message.
struct ChildOptions {
  std::vector<std::string> command = {};  ///< Program and arguments; no shell is used.
  std::string cwd = {};                   ///< Empty: the gateway's own.
  std::map<std::string, std::string> environment = {};  ///< The whole environment.
  SandboxConfig sandbox = {};
  /// An open file that is executed instead of the present file at the program's path; null to use
  /// the path. It must not be a script, as its interpreter would not find it.
  const Descriptor* image = nullptr;

  /// Wipes the values of the environment, which may include secrets.
  ~ChildOptions();
};

/// A server's program during its start: the launcher was asked, and its keeper has not answered
/// yet. The destructor cancels the start without waiting, and ends what already runs.
///
/// Threads: one at a time.
class StartingChild {
 public:
  StartingChild(ChildProcess::Pipes pipes, Descriptor control)
      : pipes_(std::move(pipes)), control_(std::move(control)) {}

  /// Becomes readable when its keeper has answered or ended.
  const Descriptor& control() const { return control_; }
  /// Returns the running program, once `control` is readable. Never blocks.
  /// Errors: server_failed with the failed step; without an answer, that it was not started in
  ///         time.
  Result<ChildProcess> finish() &&;

 private:
  ChildProcess::Pipes pipes_;
  Descriptor control_;
};

/// A small process that starts servers for the gateway. It is forked before the gateway reads any
/// secret, so neither it nor its children have one in memory. Its environment is wiped. It forks a
/// keeper for each server (`keep_program`), which gets the data of that server.
///
/// The gateway itself can then be closed to other processes of its account (`protect_memory`).
/// Namespaces of servers still work, as other processes write their id maps.
///
/// It ends with its owner, and with its owner's process, however that ends.
class Launcher {
 public:
  /// Forks the launcher.
  /// Errors:  server_failed: no more processes or descriptors.
  /// Threads: the process has no other thread yet.
  static Result<Launcher> start();

  Launcher(Launcher&&) noexcept = default;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher();

  /// The time limit for a program's exec.
  static constexpr std::chrono::seconds kStartDeadline{10};

  /// Requests the start of the program: an absolute path, or a plain name that is looked up in
  /// PATH. That is the child's PATH, or the gateway's if the child has none. `options` is not
  /// needed after the call.
  ///
  /// Errors:  server_failed: program not found, unknown user, no more descriptors, the launcher has
  ///          ended. `StartingChild::finish` reports later failures.
  /// Threads: any, also several at a time.
  /// Cost:    looks up the program and its account; does not wait for the launcher.
  Result<StartingChild> begin(const ChildOptions& options) const;

  /// Starts the program, and waits for its exec, at most `kStartDeadline`.
  ///
  /// Errors: those of `begin` and `finish`: directory missing, not executable, a part of its
  ///         sandbox that this machine does not support, no more processes.
  /// Cost:   two forks and one exec, some milliseconds, more with a level; blocks that long.
  Result<ChildProcess> launch(const ChildOptions& options) const;

  /// Does everything before the exec, in a process that then ends. Waits for it.
  /// Errors: those of `launch`.
  Result<void> probe(const ChildOptions& options) const;

  /// Whether the launcher has ended or was killed. Then no program can be started any more, as a
  /// fork of the gateway would contain its secrets.
  /// Threads: any.
  /// Cost:    one system call.
  bool has_ended() const;

 private:
  Launcher(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  Descriptor socket_;
  pid_t pid_ = -1;
};

}  // namespace bartizan
