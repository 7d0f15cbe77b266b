#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/base/result.h"

namespace bartizan {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  /// Another one for the same, closed with its own owner; empty where there is no room for it.
  Descriptor duplicate() const;
  /// Gives the descriptor away.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// How a server's program is started. From the configuration only, never from a message.
struct ChildOptions {
  std::vector<std::string> command = {};  ///< Program and arguments; no shell is involved.
  std::string cwd = {};                   ///< Empty: the gateway's own.
  std::map<std::string, std::string> environment = {};  ///< All of it.
  std::string user = {};               ///< Account to become; empty: the gateway's own.
  std::uint64_t memory_bytes_max = 0;  ///< Address space; 0 leaves the gateway's limit.
  /// 0: 1024, which the program itself may raise as far as the gateway may.
  std::uint32_t open_files_max = 0;
  /// The gateway's, or one of its own with nothing in it but its loopback.
  enum class Network : std::uint8_t { host, none } network = Network::host;
  /// An open file that is executed instead of whatever the program's path leads to by then; null
  /// where the path decides. No file that names an interpreter: that would not find it.
  const Descriptor* image = nullptr;
};

/// A running child with its three pipes, non-blocking on our side. Leads a process group of its
/// own, may not gain privileges, dies with the gateway, leaves no core file, and holds no
/// descriptor but its pipes. Destroyed, its whole group is killed and the child reaped.
///
/// Threads: one at a time. The kernel ties "dies with the gateway" to the thread that called
///          `start`: when that thread ends, the child is killed, also while other threads go on.
/// Source: MCP 2026-07-28, basic/transports/stdio; SECURITY.md, "Local servers".
class ChildProcess {
 public:
  /// Starts the program: an absolute path, or a plain name looked up in PATH (the child's, or ours
  /// where its environment has none). Returns once the program has replaced our image.
  ///
  /// Errors: server_failed with the step that failed: program not found or not executable, unknown
  ///         user, directory missing, no network of its own to be had, no more processes.
  /// Cost:   one fork and one exec, about a millisecond, and some more for a network of its own;
  ///         blocks that long.
  static Result<ChildProcess> start(const ChildOptions& options);

  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// Becomes readable when the child ended.
  const Descriptor& pidfd() const { return pidfd_; }
  Descriptor standard_input;
  Descriptor standard_output;
  Descriptor standard_error;

  /// Signals the whole group; does nothing once `ended` has answered.
  void signal(int number) const;
  /// How the child ended (`exit 3`, `signal 9 (SIGKILL)`), once it has. What is left of its group
  /// is killed before the child is reaped, for afterwards its number may be another's. Never
  /// blocks.
  std::optional<std::string> ended();

 private:
  ChildProcess() = default;
  void kill_and_reap();

  pid_t pid_ = -1;
  Descriptor pidfd_;
  std::optional<std::string> ended_;  ///< Set once the child was reaped.
};

}  // namespace bartizan
