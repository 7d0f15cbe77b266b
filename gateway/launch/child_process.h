#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "gateway/process/descriptor.h"

namespace bartizan {

/// A running server with its three pipes, non-blocking on the gateway's side, and the socket of its
/// keeper. The program leads its own process group, cannot gain privileges, leaves no core file,
/// and has no descriptors but its pipes. All its descendants end with it. They also end with the
/// gateway, however that ends. The destructor ends them too.
///
/// Made by `Launcher::launch`.
/// Threads: one at a time.
/// Source:  MCP 2026-07-28, basic/transports/stdio; SECURITY.md, "Local servers".
class ChildProcess {
 public:
  struct Pipes {
    Descriptor input, output, error;
  };
  ChildProcess(Pipes pipes, Descriptor control, pid_t pid)
      : standard_input(std::move(pipes.input)),
        standard_output(std::move(pipes.output)),
        standard_error(std::move(pipes.error)),
        control_(std::move(control)),
        pid_(pid) {}
  ChildProcess(ChildProcess&&) noexcept = default;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// The program, or the first process of its namespace. When it ends, all processes end.
  pid_t pid() const { return pid_; }
  /// Becomes readable when the program has ended.
  const Descriptor& control() const { return control_; }
  Descriptor standard_input;
  Descriptor standard_output;
  Descriptor standard_error;

  /// Signals the program's whole group. Does nothing after `ended` has returned a value.
  void signal(int number) const;
  /// How the program ended (`exit 3`, `signal 9 (SIGKILL)`); nothing until all its processes have
  /// ended. Never blocks.
  std::optional<std::string> ended();

 private:
  Descriptor control_;
  pid_t pid_ = -1;
  std::optional<std::string> ended_;
};

}  // namespace bartizan
