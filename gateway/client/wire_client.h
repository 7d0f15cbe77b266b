#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "gateway/client/admit_message.h"
#include "gateway/client/lazy_handshake.h"
#include "gateway/client/remembered_proof.h"
#include "gateway/framing/message_wire.h"
#include "gateway/runtime/signal.h"
#include "gateway/worker/worker.h"

namespace bartizan {

struct FabricoreRequest;
struct GroundhogRequest;
class WireExchange;

/// The client of a wire, and the terms on which it is served.
struct WireTerms {
  Transport transport = Transport::stdio;
  std::string source;       ///< For records: `stdio`, `ip:port`, `uid:N`.
  std::string network;      ///< The network that refusals are counted by.
  std::string socket = {};  ///< Name of the `[socket.NAME]`; empty for none.
  /// Name of the client's endpoint; nothing over standard input.
  std::optional<std::string> endpoint = {};
  // The credentials from the connection's start. Each message is proved by them again.
  std::optional<std::string> authorization = {};
  std::vector<std::string> certificates = {};
  /// Only responses are sent: the client takes the next line for its response.
  bool answers_only = false;
  /// A call before `initialize` begins a session of 2024-11-05.
  bool implies_handshake = false;
  /// The first message must begin like a JSON object. Other peers, such as browsers, are ignored.
  bool is_open_to_strangers = false;
  /// The client speaks Groundhog: messages in both directions are translated.
  bool speaks_groundhog = false;
  /// The server whose agent a Fabricore orchestrator speaks to; empty for other clients.
  std::string agent = {};
  /// Whether that configuration would admit the client here, with its certificate, now. Empty if
  /// that cannot change.
  std::function<bool(const SnapshotPtr&)> is_let_in = {};
  /// Introduces the servers when the client first needs them; null if the gateway does.
  std::shared_ptr<LazyHandshake> servers = nullptr;
};

/// Whether clients of that endpoint may call without a handshake. The endpoint of `[listen] path`
/// is the empty name.
bool implies_handshake(const Config& config, std::string_view endpoint);

/// Serves a client on a wire to its end. It is drained with its worker.
Task<void> serve_wire(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire);

/// One client on a two-way wire. In the legacy revisions the wire is the session. A modern message
/// stands alone.
///
/// While the client reads slowly, no more messages are read from it. A client that stops reading is
/// dropped. Calls in progress and messages are bounded. If a client has ended its side, its calls
/// are still answered, unless it closed a WebSocket.
///
/// Threads: those of its worker, except `is_busy` and `was_served`.
/// Source:  MCP 2026-07-28, basic/transports, "stdio" and "Custom Transports".
class WireClient : public std::enable_shared_from_this<WireClient> {
 public:
  WireClient(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire);

  /// Serves until the input ends, the output breaks, or `drain`. Then calls `ended`.
  Task<void> run(std::move_only_function<void()> ended);
  /// Takes no more messages. Calls in progress are still answered.
  void drain();
  /// Ends the wire at once if its client would no longer be admitted.
  void review();

  /// Whether calls are in progress, or responses have not been flushed.
  bool is_busy() const { return calls_ > 0 || !wire_->is_flushed(); }
  /// Whether any server was ever there to serve the client; true if it never asked for one.
  bool was_served() const { return !was_refused_ || was_served_; }

 private:
  friend class FabricoreExchange;
  friend class GroundhogExchange;
  friend class WireExchange;
  friend class WireStream;
  /// The request of a client of another protocol; empty for MCP clients.
  struct Asked {
    std::shared_ptr<const GroundhogRequest> groundhog = nullptr;
    std::shared_ptr<const FabricoreRequest> fabricore = nullptr;
  };

  Task<void> read_messages();
  Task<void> take_message(Bytes text);
  Task<void> translate_groundhog(ReceivedMessage received, std::size_t bytes);
  Task<void> translate_fabricore(ReceivedMessage received, std::size_t bytes);
  Task<void> dispatch_translated(ReceivedMessage received, std::size_t bytes, std::string message,
                                 Asked asked);
  Task<void> dispatch(ReceivedMessage received, std::size_t bytes, Asked asked);
  std::shared_ptr<WireExchange> make_exchange(std::string id_json, Era era, Asked asked);
  bool is_translated() const { return terms_.speaks_groundhog || !terms_.agent.empty(); }
  Task<void> dispatch_batch(ReceivedMessage received, std::size_t bytes);
  Task<bool> imply_handshake(const Message& call);
  Task<void> begin_and_wait(Admitted admitted, std::shared_ptr<WireExchange> exchange);
  bool is_served(Era era) const;
  Task<bool> find_servers(const Message& message, Era era);
  Task<Reason> wait_for_places(std::uint32_t calls);
  bool has_places(std::uint32_t calls) const;
  Task<Arrival> arrival(std::size_t bytes);
  Task<Authentication> prove(const SnapshotPtr& snapshot);
  Credentials credentials() const;

  void write(std::string message);
  std::optional<DecisionId> note(Reason reason, std::string_view detail);
  void reject(ErrorCode code, std::string_view text, std::string_view id_json,
              std::string_view data_json = {});
  void deny(Reason reason, std::string_view detail, const Message& message, Era era);
  void refuse(const MessageRefusal& refusal, const Message& message, Era era);

  bool cancel_modern(const Message& message);
  bool is_client_asked() const;
  void begin(WireExchange& exchange);
  void end(WireExchange& exchange);
  void begin_session(const std::string& id);
  void forget_ended_session();
  void cancel_calls();
  Task<void> leave();
  void on_broken(std::string_view why);

  Worker& worker_;
  WireTerms terms_;
  bool is_modern_ = false;  ///< The last message that was read is of the modern era.
  bool is_handshake_implied_ = false;
  bool is_first_ = true;  ///< Nothing was read yet.
  std::shared_ptr<MessageWire> wire_;
  Authenticated caller_;  ///< The sender of the last message with a valid proof.
  RememberedProof proof_;
  std::shared_ptr<Session> session_;  ///< The legacy session, if there is one.
  std::unordered_set<WireExchange*> exchanges_;
  /// Modern requests in progress, by their id as the client spelled it.
  std::unordered_map<std::string, WireExchange*> modern_;
  std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<bool> was_served_ = false;
  std::atomic<bool> was_refused_ = false;
  Signal news_;  ///< A call has ended, or a server has sent the client a request.
  bool is_over_ = false;
  bool is_broken_ = false;
};

}  // namespace bartizan
