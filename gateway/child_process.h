#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/result.h"

namespace bartizan {

/// How a server's program is started. From the configuration only, never from a message.
struct ChildOptions {
  std::vector<std::string> command;          ///< Program and arguments; no shell is involved.
  std::string cwd;                           ///< Empty: the gateway's own.
  std::map<std::string, std::string> environment;  ///< All of it.
  std::string user;                          ///< Account to become; empty: the gateway's own.
  std::uint64_t memory_bytes_max = 0;        ///< Address space; 0 leaves the gateway's limit.
  std::uint32_t open_files_max = 0;          ///< 0 leaves the gateway's limit.
};

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  /// Gives the descriptor away.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// A running child with its three pipes, non-blocking on our side. Leads a process group of its
/// own, may not gain privileges, dies with the gateway, and holds no descriptor but its pipes.
/// Destroyed, its whole group is killed and the child reaped.
///
/// Source: MCP 2026-07-28, basic/transports/stdio; SECURITY.md, "Local servers".
class ChildProcess {
 public:
  /// Errors: server_failed with the step that failed: program not found or not executable, unknown
  /// user, directory missing, no more processes.
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

  /// Signals the whole group.
  void signal(int number) const;
  /// How the child ended (`exit 3`, `signal 9 (SIGKILL)`), once it has; reaps it. Never blocks.
  std::optional<std::string> ended();

 private:
  ChildProcess() = default;
  pid_t pid_ = -1;
  Descriptor pidfd_;
  bool reaped_ = false;
};

}  // namespace bartizan
