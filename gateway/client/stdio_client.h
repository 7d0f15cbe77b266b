#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "gateway/client/admit_message.h"
#include "gateway/client/lazy_handshake.h"
#include "gateway/process/line_writer.h"
#include "gateway/runtime/signal.h"
#include "gateway/worker/worker.h"

namespace bartizan {

class StdioExchange;

/// The one client of a process that is itself a server: messages in lines over standard input and
/// output. In the legacy revisions the connection is the session; a modern message stands alone.
///
/// A client that reads slowly is not asked for more; one that does not read at all is left. Calls
/// in progress are bounded, as is every line.
/// Threads: those of its worker, which must be the only one, except `is_busy` and `was_served`.
/// Source:  MCP 2026-07-28, basic/transports/stdio.
class StdioClient : public std::enable_shared_from_this<StdioClient> {
 public:
  /// `principal` is the local user: whoever started the process has proved to be it.
  /// `config` is the `[client]` that the process began with: what it says of answers holds as long
  /// as the process.
  StdioClient(Worker& worker, std::string principal, const ClientConfig& config, Pipe input,
              Pipe output);

  /// Serves until the input ends, the output breaks, or `drain`; then calls `ended`.
  Task<void> run(std::move_only_function<void()> ended);
  /// Takes no more messages; calls in progress are still answered.
  void drain();

  /// Calls are in progress, or what they answered has not left.
  bool is_busy() const { return calls_ > 0 || !output_->is_flushed(); }
  /// Whether a server was ever there to serve the client, if it asked for one.
  bool was_served() const { return !was_refused_ || was_served_; }

 private:
  friend class StdioExchange;

  Task<void> read_lines();
  Task<void> take_line(Bytes line);
  Task<void> dispatch(ReceivedMessage received, std::size_t bytes);
  Task<void> dispatch_batch(ReceivedMessage received, std::size_t bytes);
  bool is_served(Era era) const;
  Task<bool> find_servers(const Message& message, Era era);
  Task<Reason> wait_for_places(std::uint32_t calls);
  bool has_places(std::uint32_t calls) const;
  Task<Arrival> arrival(std::size_t bytes) const;

  std::optional<DecisionId> note(Reason reason, std::string_view detail);
  void reject(ErrorCode code, std::string_view text, std::string_view id_json,
              std::string_view data_json = {});
  void deny(Reason reason, std::string_view detail, const Message& message, Era era);
  void refuse(const MessageRefusal& refusal, const Message& message, Era era);

  bool cancel_modern(const Message& message);
  bool is_client_asked() const;
  void begin(StdioExchange& exchange);
  void end(StdioExchange& exchange);
  void begin_session(const std::string& id);
  void on_broken(std::string_view why);

  Worker& worker_;
  std::string principal_;
  bool answers_only_;
  bool is_modern_ = false;  ///< What was read last was of that era.
  Pipe input_;
  std::shared_ptr<LineWriter> output_;
  std::shared_ptr<LazyHandshake> servers_;
  std::shared_ptr<Session> session_;  ///< The legacy one, once there is one.
  std::unordered_set<StdioExchange*> exchanges_;
  /// Modern requests in progress, by their id as the client spelled it.
  std::unordered_map<std::string, StdioExchange*> modern_;
  std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<bool> was_served_ = false;
  std::atomic<bool> was_refused_ = false;
  Signal news_;  ///< A call has ended, or a server has asked the client something.
  bool is_over_ = false;
};

}  // namespace bartizan
