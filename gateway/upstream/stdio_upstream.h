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
#include "gateway/upstream/call_queue.h"
#include "gateway/upstream/handshake_gate.h"
#include "gateway/upstream/in_flight.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// What the start of a server's program takes.
struct StdioUpstreamSetup {
  const Launcher& launcher;
  ExecutableCheck& executables;
};

/// A server that is a child process, spoken to in lines over its pipes. Started when it is first
/// needed, again after a crash with growing delays, and stopped with EOF, SIGTERM, SIGKILL.
/// Reading never waits for writing: each pipe has a coroutine of its own.
///
/// Threads: those of its home loop.
/// Source:  MCP 2026-07-28, basic/transports/stdio.
class StdioUpstream final : public Upstream, public std::enable_shared_from_this<StdioUpstream> {
 public:
  StdioUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                UpstreamEvents events, StdioUpstreamSetup setup);
  ~StdioUpstream() override;

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) override;
  void tell(Permit permit, std::uint64_t asked_in) override;
  void cancel(const std::shared_ptr<PendingCall>& pending) override;
  Task<Result<ServerHandshake>> introduction() override;
  bool downgrade_to_legacy() override;
  void stop() override;
  Load load() const override { return {in_flight_.size(), queue_.size()}; }

 private:
  enum class State : std::uint8_t {
    stopped,
    starting,
    running,
    declined,  ///< It runs and does not speak the modern era: it may be asked for the legacy one.
    waiting_to_restart
  };

  /// What belongs to one life of the child; its coroutines end with it.
  struct Life {
    Life(Loop& home, ChildProcess child);
    ChildProcess process;
    Pipe input, output, error;
    Pipe ending;  ///< Readable once the child has ended.
    struct Line {
      std::uint64_t id = 0;  ///< Of the call that it is, or 0.
      std::string text;
    };
    std::deque<Line> lines;  ///< Whole lines that wait for the pipe.
    std::size_t line_bytes = 0;
    MemoryBudget::Reservation memory;  ///< For them.
    bool writing = false;
    bool over = false;
    /// Wake who waits a moment for the program's end or for its last words, once it is over.
    Signal over_for_output, over_for_ending;
  };
  using LifePtr = std::shared_ptr<Life>;

  void start();
  Task<void> start_program();
  void end_stopped_start();
  std::optional<StartingChild> begin_program(const ReadExecutables& files);
  Task<Result<ChildProcess>> started(StartingChild child);
  Task<void> introduce(LifePtr life);
  Task<void> read_output(LifePtr life);
  Task<void> read_errors(LifePtr life);
  Task<void> watch_end(LifePtr life);
  Task<void> write_input(LifePtr life);
  Task<void> end(LifePtr life);
  Task<void> restart_later();
  void on_line(Bytes line);
  void on_refused(const RefusedMessage& refused);
  void on_over(const LifePtr& life);
  void refuse_files(Error error);
  void fail_start(Error error);
  void fail_introduction(Error error);
  void begin_waiting();
  void fail_calls_and_waiting(const Error& error);
  bool write(std::string line, std::uint64_t id = 0);
  bool unwrite(std::uint64_t id);
  void send_now(CallQueue::Waiting&& call);
  Task<Result<ReceivedMessage>> ask(LifePtr life, GatewayMessage kind, std::string method,
                                    std::string params);

  Loop& home_;
  MemoryBudget& memory_;
  StdioUpstreamSetup setup_;
  ServerConfig config_;
  InstanceKey key_;
  UpstreamEvents events_;
  InFlight in_flight_;
  CallQueue queue_;
  LifePtr life_;
  State state_ = State::stopped;
  HandshakeGate handshake_;
  std::shared_ptr<ExecutableCheck::Wanted> check_;  ///< While executables are read.
  /// Until then nothing is read once more: the last time it was not what was approved.
  std::chrono::steady_clock::time_point check_again_;
  std::chrono::milliseconds restart_delay_{0};
  Signal restart_pause_;
  bool has_run_ = false;
  std::uint64_t beginning_ = 0;  ///< How often it was introduced.
  bool stopping_ = false;
};

}  // namespace bartizan
