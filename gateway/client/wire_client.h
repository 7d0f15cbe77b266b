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

/// Who is at the other end of a wire, and how it is served.
struct WireTerms {
  Transport transport = Transport::stdio;
  std::string source;       ///< For records: `stdio`, `ip:port`, `uid:N`.
  std::string network;      ///< What refusals are counted by.
  std::string socket = {};  ///< Name of the `[socket.NAME]`; empty for none.
  /// Name of the endpoint that the client came to; nothing over standard input.
  std::optional<std::string> endpoint = {};
  // What the client showed when it connected. Each message is proved by it anew.
  std::optional<std::string> authorization = {};
  std::vector<std::string> certificates = {};
  /// Nothing is sent but answers: a client that takes the next line for its answer.
  bool answers_only = false;
  /// A call that comes before `initialize` begins a session of 2024-11-05.
  bool implies_handshake = false;
  /// The first message has to begin as a JSON object does: whatever else speaks, such as a browser,
  /// is not listened to.
  bool is_open_to_strangers = false;
  /// It speaks Groundhog: its messages are translated, and all that it is sent.
  bool speaks_groundhog = false;
  /// It is an orchestrator of Fabricore that speaks to the agent of this server; empty of others.
  std::string agent = {};
  /// Whether that configuration would let it in at this place, with the certificate that it showed,
  /// now; empty where nothing of that can change.
  std::function<bool(const SnapshotPtr&)> is_let_in = {};
  /// Introduces the servers when the client first needs them; null where the gateway has.
  std::shared_ptr<LazyHandshake> servers = nullptr;
};

/// Whether clients that came to that endpoint may call without a handshake; empty for that of
/// `[listen] path`.
bool implies_handshake(const Config& config, std::string_view endpoint);

/// Serves a client on a wire to its end. It is drained with its worker.
Task<void> serve_wire(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire);

/// One client on a two-way wire. In the legacy revisions the wire is the session; a modern message
/// stands alone.
///
/// A client that reads slowly is not asked for more; one that does not read at all is left. Calls
/// in progress are bounded, as is every message. Where a client has ended its side, its calls are
/// still answered, unless it closed a WebSocket.
/// Threads: those of its worker, except `is_busy` and `was_served`.
/// Source:  MCP 2026-07-28, basic/transports, "stdio" and "Custom Transports".
class WireClient : public std::enable_shared_from_this<WireClient> {
 public:
  WireClient(Worker& worker, WireTerms terms, std::shared_ptr<MessageWire> wire);

  /// Serves until the input ends, the output breaks, or `drain`; then calls `ended`.
  Task<void> run(std::move_only_function<void()> ended);
  /// Takes no more messages; calls in progress are still answered.
  void drain();
  /// Ends the wire if its client would not be let in any more, whatever is in progress.
  void review();

  /// Calls are in progress, or what they answered has not left.
  bool is_busy() const { return calls_ > 0 || !wire_->is_flushed(); }
  /// Whether a server was ever there to serve the client, if it asked for one.
  bool was_served() const { return !was_refused_ || was_served_; }

 private:
  friend class FabricoreExchange;
  friend class GroundhogExchange;
  friend class WireExchange;
  friend class WireStream;
  /// What a client of another protocol asked; nothing of one of MCP.
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
  bool is_modern_ = false;  ///< What was read last was of that era.
  bool is_handshake_implied_ = false;
  bool is_first_ = true;  ///< Nothing was read yet.
  std::shared_ptr<MessageWire> wire_;
  Authenticated caller_;  ///< Who sent the last message that proved somebody.
  RememberedProof proof_;
  std::shared_ptr<Session> session_;  ///< The legacy one, once there is one.
  std::unordered_set<WireExchange*> exchanges_;
  /// Modern requests in progress, by their id as the client spelled it.
  std::unordered_map<std::string, WireExchange*> modern_;
  std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<bool> was_served_ = false;
  std::atomic<bool> was_refused_ = false;
  Signal news_;  ///< A call has ended, or a server has asked the client something.
  bool is_over_ = false;
  bool is_broken_ = false;
};

}  // namespace bartizan
