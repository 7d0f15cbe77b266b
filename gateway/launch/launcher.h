#pragma once

#include <sys/types.h>

#include <map>
#include <string>
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

  /// Starts the program: an absolute path, or a plain name looked up in PATH (the child's, or ours
  /// where its environment has none). Returns once the program has replaced our image.
  ///
  /// Errors:  server_failed with the step that failed: program not found or not executable, unknown
  ///          user, directory missing, a part of its sandbox that this machine does not give, no
  ///          more processes, the launcher has ended.
  /// Threads: any, also several at a time.
  /// Cost:    two forks and one exec, some milliseconds, more with a level; blocks that long, ten
  ///          seconds at most.
  Result<ChildProcess> launch(const ChildOptions& options) const;

  /// Does all that comes before the exec, in a process that ends at once.
  /// Errors: as of `launch`.
  Result<void> probe(const ChildOptions& options) const;

 private:
  Launcher(Descriptor socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  Descriptor socket_;
  pid_t pid_ = -1;
};

}  // namespace bartizan
