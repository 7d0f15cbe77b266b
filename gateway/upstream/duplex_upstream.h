#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/config.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/call_queue.h"
#include "gateway/upstream/handshake_gate.h"
#include "gateway/upstream/in_flight.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// A server behind one two-way connection: a child's pipes, a socket or a WebSocket. A life lasts
/// as long as a connection. The first life begins on first use, with a handshake. After an
/// unexpected end another life begins, with growing delays.
///
/// Threads: those of its home loop.
class DuplexUpstream : public Upstream, public std::enable_shared_from_this<DuplexUpstream> {
 public:
  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) override;
  void tell(Permit permit, std::uint64_t asked_in) override;
  void cancel(const std::shared_ptr<PendingCall>& pending) override;
  Task<Result<ServerHandshake>> introduction() override;
  bool downgrade_to_legacy() override;
  void stop() override;
  Load load() const override { return {in_flight_.size(), queue_.size()}; }

 protected:
  enum class State : std::uint8_t {
    stopped,
    starting,
    running,
    declined,  ///< It runs without the modern era; the legacy era may be tried.
    waiting_to_restart
  };

  /// Input: `before_first`, as in `InFlight`. If it is not 0, the connection may carry other
  ///        clients' answers. An answer under a number that was never given is then ignored as
  ///        another client's.
  DuplexUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
                 UpstreamEvents events, std::uint64_t before_first = 0);

  // The carrier of the messages.

  /// Whether a life may begin now. If not, waiting calls fail with the last failure.
  virtual bool may_begin() const { return true; }
  /// Connects. It ends with `begin_life` or `fail_start`; after `stopping_`, with
  /// `end_stopped_start`.
  virtual void begin() = 0;
  /// Aborts a running `begin`.
  virtual void stop_beginning() {}
  /// Sends a message; `id` is that of a call, or 0. False if the message is not accepted.
  virtual bool write(std::string text, std::uint64_t id) = 0;
  /// Withdraws the message of a call. False if it may have been sent.
  virtual bool unwrite(std::uint64_t /*id*/) { return false; }
  /// Ends the current life, if there is one. `note_end` follows at once.
  virtual void end_life() = 0;

  /// The connection is open; the handshake begins.
  void begin_life();
  /// The connection failed, with that error.
  void fail_start(Error error);
  void end_stopped_start();
  /// The life is over. Input: how its program ended, if known.
  void note_end(const std::optional<std::string>& ending);
  /// Takes one message of the server.
  void take_text(Bytes text);
  void fail_calls_and_waiting(const Error& error);

  Loop& home_;
  MemoryBudget& memory_;
  ServerConfig config_;
  InstanceKey key_;
  UpstreamEvents events_;
  InFlight in_flight_;
  CallQueue queue_;
  State state_ = State::stopped;
  HandshakeGate handshake_;
  bool stopping_ = false;

 private:
  void start();
  Task<void> introduce();
  void on_refused(const RefusedMessage& refused);
  void fail_introduction(Error error);
  void give_up_start(Error error);
  void begin_waiting();
  void send_now(CallQueue::Waiting&& call);
  Task<void> restart_later();
  /// Sends the introduction request once.
  Task<Result<ReceivedMessage>> ask_introduction();
  Task<Result<ReceivedMessage>> ask(GatewayMessage kind, std::string method, std::string params);

  bool hears_others_;        ///< Responses to other clients may arrive here.
  std::uint64_t lives_ = 0;  ///< A different number in each life, and between any two.
  std::chrono::milliseconds restart_delay_{0};
  Signal restart_pause_;
  std::uint64_t beginning_ = 0;  ///< The number of introductions so far.
};

}  // namespace bartizan
