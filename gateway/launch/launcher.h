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

/// How a server's program is started. From the configuration only, never from a message.
struct ChildOptions {
  std::vector<std::string> command = {};  ///< Program and arguments; no shell is involved.
  std::string cwd = {};                   ///< Empty: the gateway's own.
  std::map<std::string, std::string> environment = {};  ///< All of it.
  SandboxConfig sandbox = {};
  /// An open file that is executed instead of whatever the program's path leads to by then; null
  /// where the path decides. No file that names an interpreter: that would not find it.
  const Descriptor* image = nullptr;

  /// Wipes the values of the environment: secrets may be among them.
  ~ChildOptions();
};

/// A server's program on its way: the launcher was asked, its keeper has not answered yet.
/// Destroyed, its start is given up, and what runs already ends; nobody waits for that.
///
/// Threads: one at a time.
class StartingChild {
 public:
  StartingChild(ChildProcess::Pipes pipes, Descriptor control)
      : pipes_(std::move(pipes)), control_(std::move(control)) {}

  /// Becomes readable when its keeper has answered or has ended.
  const Descriptor& control() const { return control_; }
  /// The running program, once `control` is readable. Never blocks.
  /// Errors: server_failed with the step that failed; where nothing was answered, that it was not
  ///         started in time.
  Result<ChildProcess> finish() &&;

 private:
  ChildProcess::Pipes pipes_;
  Descriptor control_;
};

/// A small process that starts servers for the gateway. It is forked before the gateway reads any
/// secret, so neither it nor what it forks has one in its memory; its environment is wiped. It
/// forks a keeper for each server (`keep_program`), which has what that server needs to know.
///
/// The gateway itself can then be closed to other processes of its account (`protect_memory`),
/// without that namespaces of servers become impossible: their maps are written by processes that
/// are not closed.
///
/// Ends with its owner, and with the process of its owner, however that ends.
class Launcher {
 public:
  /// Errors:  server_failed: no more processes or descriptors.
  /// Threads: the process has no other thread yet.
  static Result<Launcher> start();

  Launcher(Launcher&&) noexcept = default;
  Launcher& operator=(Launcher&&) = delete;
  ~Launcher();

  /// How long a program may take to replace the image of its keeper's child.
  static constexpr std::chrono::seconds kStartDeadline{10};

  /// Has the program started: an absolute path, or a plain name looked up in PATH (the child's, or
  /// ours where its environment has none). Nothing of `options` is needed after that.
  ///
  /// Errors:  server_failed: program not found, unknown user, no more descriptors, the launcher has
  ///          ended. What fails later, `StartingChild::finish` says.
  /// Threads: any, also several at a time.
  /// Cost:    looks for the program and its account; does not wait for the launcher.
  Result<StartingChild> begin(const ChildOptions& options) const;

  /// Starts the program, and waits until it has replaced our image, `kStartDeadline` at most.
  ///
  /// Errors:  as of `begin` and `finish`: directory missing, not executable, a part of its sandbox
  ///          that this machine does not give, no more processes.
  /// Cost:    two forks and one exec, some milliseconds, more with a level; blocks that long.
  Result<ChildProcess> launch(const ChildOptions& options) const;

  /// Does all that comes before the exec, in a process that ends at once. Waits for it.
  /// Errors: as of `launch`.
  Result<void> probe(const ChildOptions& options) const;

  /// Whether its process has ended, or was killed: no program can be started any more, since what
  /// the gateway forks now would carry its secrets.
  /// Threads: any. Cost: one system call.
  bool has_ended() const;

 private:
  Launcher(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  Descriptor socket_;
  pid_t pid_ = -1;
};

}  // namespace bartizan
