#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/launch/launcher.h"
#include "gateway/process/executable_check.h"
#include "gateway/process/line_reader.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/duplex_upstream.h"

namespace bartizan {

/// The dependencies of a program's start.
struct StdioUpstreamSetup {
  const Launcher& launcher;
  ExecutableCheck& executables;
};

/// A server that is a child process, with lines over its pipes. It starts on first use, and again
/// after a crash with growing delays. It is stopped with EOF, SIGTERM, SIGKILL. Reading never waits
/// for writing: each pipe has a coroutine of its own.
///
/// Threads: those of its home loop.
/// Source:  MCP 2026-07-28, basic/transports/stdio.
class StdioUpstream final : public DuplexUpstream {
 public:
  StdioUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                UpstreamEvents events, StdioUpstreamSetup setup);
  ~StdioUpstream() override;

  std::optional<pid_t> process() const override;

 private:
  /// The state of one life of the child. Its coroutines end with it.
  struct Life {
    Life(Loop& home, ChildProcess child);
    ChildProcess process;
    Pipe input, output, error;
    Pipe ending;  ///< Readable once the child has ended.
    struct Line {
      std::uint64_t id = 0;  ///< Of the call, or 0.
      std::string text;
    };
    std::deque<Line> lines;  ///< Whole lines that wait for the pipe.
    std::size_t line_bytes = 0;
    MemoryBudget::Reservation memory;  ///< For `lines`.
    bool writing = false;
    bool over = false;
    /// Wake the coroutines that wait briefly for the program's end or its last output, once it is
    /// over.
    Signal over_for_output, over_for_ending;
  };
  using LifePtr = std::shared_ptr<Life>;

  bool may_begin() const override;
  void begin() override;
  void stop_beginning() override;
  bool write(std::string line, std::uint64_t id) override;
  bool unwrite(std::uint64_t id) override;
  void end_life() override;

  Task<void> start_program();
  std::optional<StartingChild> begin_program(const ReadExecutables& files);
  Task<Result<ChildProcess>> started(StartingChild child);
  Task<void> read_output(LifePtr life);
  Task<void> read_errors(LifePtr life);
  Task<void> watch_end(LifePtr life);
  Task<void> write_input(LifePtr life);
  Task<void> end(LifePtr life);
  void on_over(LifePtr life);
  void refuse_files(Error error);

  StdioUpstreamSetup setup_;
  LifePtr life_;
  std::shared_ptr<ExecutableCheck::Wanted> check_;  ///< While executables are read.
  /// Files are not read again before this time: on the last reading they were not the approved
  /// ones.
  std::chrono::steady_clock::time_point check_again_;
  bool has_run_ = false;
};

}  // namespace bartizan
