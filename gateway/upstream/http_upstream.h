#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/config.h"
#include "gateway/http/http_client.h"
#include "gateway/http/own_header.h"
#include "gateway/http/sse.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/call_queue.h"
#include "gateway/upstream/handshake_gate.h"
#include "gateway/upstream/in_flight.h"
#include "gateway/upstream/upstream.h"
#include "schemas/base/secret_text.h"

namespace bartizan {

/// The parts of an HTTP instance besides its configuration.
struct HttpUpstreamSetup {
  std::shared_ptr<HttpClient> client;
  std::vector<OwnHeader> headers = {};  ///< Sent with every message; none is a client's.
};

/// A server behind a URL, over Streamable HTTP. Each message is one POST, answered with JSON or an
/// event stream. In the legacy era the instance has a session of its own. If the server has
/// forgotten the session, the instance begins it again once.
///
/// Threads: those of its home loop.
/// Source:  MCP 2025-11-25, basic/transports; MCP 2026-07-28, basic/transports/streamable-http.
class HttpUpstream final : public Upstream, public std::enable_shared_from_this<HttpUpstream> {
 public:
  HttpUpstream(Loop& home, MemoryBudget& memory, ServerConfig config, InstanceKey key,
               UpstreamEvents events, HttpUpstreamSetup setup);

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) override;
  void tell(Permit permit, std::uint64_t asked_in) override;
  void cancel(const std::shared_ptr<PendingCall>& pending) override;
  Task<Result<ServerHandshake>> introduction() override;
  void stop() override;
  Load load() const override { return {in_flight_.size(), queue_.size()}; }

 private:
  /// The parts of one POST.
  struct Post {
    std::string method;
    std::string name_header;
    std::vector<std::pair<std::string, std::string>> param_headers;
    std::string body;
    bool is_initialize = false;
    /// The beginning of the server that it was judged for. 0 if it need not be judged again: a
    /// message of the gateway's own, or a share of a call to several servers.
    std::uint64_t judged_for = 0;
    // Set while it is sent.
    std::string target;
    bool bears_session = false;
    bool was_moved = false;
    /// The server's delay before a retry.
    std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
    /// The longest wait for more bytes of the response. The handler enforces a call's own deadline.
    /// This one only frees abandoned connections. Introductions have no handler.
    std::chrono::milliseconds read_wait = std::chrono::hours(24);
  };
  /// The number of the session's own stream in place of a call's number. No call has it.
  static constexpr std::uint64_t kSessionStream = 0;

  /// The connection of a call. Cancelling the call closes it.
  class Busy {
   public:
    Busy(HttpUpstream& self, std::uint64_t id, HttpConnectionPtr connection)
        : self_(self), id_(id), connection_(std::move(connection)) {
      self_.connections_.insert_or_assign(id_, connection_.get());
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { end(); }

    HttpClientConnection& operator*() const { return *connection_; }
    HttpClientConnection* operator->() const { return connection_.get(); }
    /// The call is over, or continues elsewhere. A fully read connection can be reused.
    void end(bool is_read = false) {
      if (connection_ == nullptr) return;
      self_.connections_.erase(id_);
      if (is_read) self_.setup_.client->give_back(std::move(connection_));
      connection_ = nullptr;
    }

   private:
    HttpUpstream& self_;
    std::uint64_t id_;
    HttpConnectionPtr connection_;
  };

  /// Whether the server is introduced and no introduction is in progress.
  bool is_introduced() const;
  /// Whether the server has begun anew since a call was judged.
  bool is_outlived(const Post& post) const {
    return post.judged_for != 0 && post.judged_for != beginning_;
  }
  void begin_call(CallQueue::Waiting&& call);
  Task<void> run_call(std::uint64_t id, Post post, std::shared_ptr<PendingCall> pending);
  Task<Result<void>> exchange(std::uint64_t id, Post& post);
  Task<Result<void>> read_answer(Busy& busy, const ResponseHead& answer, std::uint64_t id,
                                 Post& post);
  Task<Result<Bytes>> read_whole(HttpClientConnection& connection, std::chrono::milliseconds wait);
  /// The status of a single-message response, and whether its request named a session.
  struct Circumstance {
    int status = 200;
    bool bears_session = false;
  };
  Result<void> on_json(Bytes bytes, std::uint64_t id, Circumstance of);
  bool may_follow(const ResponseHead& answer, Post& post);
  /// The progress of a stream, and the server's delay before a resumption.
  struct StreamEnd {
    Result<void> read;
    std::string last_event_id;  ///< Empty if it cannot be resumed.
    std::chrono::milliseconds retry;
    bool was_open = false;
  };
  Task<StreamEnd> read_stream(HttpClientConnection& connection, std::uint64_t id,
                              std::chrono::milliseconds wait);
  Task<Result<void>> read_events(HttpClientConnection& connection, SseReader& events,
                                 std::uint64_t id, std::chrono::milliseconds wait);
  /// Requests the rest of a response stream, until it is complete or the call is over.
  Task<Result<void>> resume(std::uint64_t id, StreamEnd end);
  Task<StreamEnd> read_following(std::uint64_t id, const StreamEnd& before);
  Result<void> on_message(Bytes bytes, std::uint64_t id);
  Result<void> on_received(ReceivedMessage&& received, std::uint64_t id);
  std::unexpected<Error> on_refused(const RefusedMessage& refused);
  void on_answer(ReceivedMessage&& received, std::uint64_t id);
  void fail_call(std::uint64_t id, std::string_view why);
  bool may_ask(std::uint64_t id, MethodId method);
  void end_what_was_asked();
  /// The error for a status whose response body does not have one.
  static Error refused(int status);
  static Error refused(int status, const Post& post);
  Task<void> run_tell(std::string method, std::string body);
  Task<void> run_tells();
  void begin_listening();
  Task<void> listen();
  /// How a request for the session's stream ended.
  struct Listened {
    StreamEnd end;
    /// `lost`: refused because the server does not know the session.
    enum class Offer : std::uint8_t { open, refused, lost } offer = Offer::open;
  };
  /// Reads the session's stream once.
  Task<Listened> listen_once(std::string session, std::string last_event_id);
  Task<Listened::Offer> read_refusal(const ResponseHead& answer);
  /// Waits for the delay before the next request of the call with that number, or until `wake`.
  Task<void> pause(std::uint64_t id, std::chrono::milliseconds wait);
  void wake(std::uint64_t id);
  void give_up_session();
  void end_given_up();
  Task<void> end_session(std::string session);
  Task<Result<void>> introduce();
  /// Sends the introduction request once.
  Task<Result<ReceivedMessage>> ask_introduction();
  /// Closes the connection of an exchange that has no handler with a deadline.
  struct Expiry {
    HttpUpstream* self;
    std::uint64_t id;
  };
  static void expire(void* expiry);
  Task<Result<void>> ensure_introduced();
  /// Reports that the server is unreachable, and once that it is reachable again.
  void note_reached(bool is_reached);
  /// A call is about to be sent in the current beginning.
  void note_sent(std::uint64_t id, PendingCall& pending);
  /// Restarts the session, unless it was restarted since that beginning.
  Task<Result<void>> restart_session(std::uint64_t beginning, const Error& error);
  Task<Result<void>> post_gateway_message(GatewayMessage kind, std::string method,
                                          std::string params, std::uint64_t id);
  ProtocolVersion negotiated_version() const;
  Result<std::string> write_head(const Post& post) const;
  Result<std::string> head_of(const Post& post);
  Result<std::string> head_of(std::string_view http_method, std::string_view session,
                              std::string_view last_event_id = {}) const;

  Loop& home_;
  MemoryBudget& memory_;
  ServerConfig config_;
  InstanceKey key_;
  UpstreamEvents events_;
  HttpUpstreamSetup setup_;
  InFlight in_flight_;
  CallQueue queue_;
  /// Of the calls in progress, each as long as it is `Busy`.
  std::unordered_map<std::uint64_t, HttpClientConnection*> connections_;
  HandshakeGate handshake_;
  std::uint64_t beginning_ = 0;  ///< The number of introductions so far.
  /// The beginning in which a call was sent, and whether the server has sent its client a request
  /// since.
  struct Sent {
    std::uint64_t beginning = 0;
    bool was_asked = false;
  };
  std::unordered_map<std::uint64_t, Sent> sent_;  ///< By number, while they run.
  std::string session_id_;
  /// An abandoned session that the server may still know. It remains for the calls sent in it.
  struct GivenUp {
    std::string session;
    std::uint64_t beginning = 0;
  };
  std::optional<GivenUp> given_up_;
  std::string target_;        ///< Of the URL, with or without a final `/`, as the server wants it.
  std::string last_failure_;  ///< The reported failure of an introduction.
  /// The head of a call in a session, before and after the length of its body.
  struct UsualHead {
    std::string session;
    ProtocolVersion version;
    SecretText front;
    SecretText back;
  };
  std::optional<UsualHead> usual_head_;
  /// A message without an answer. `asked_in` is the beginning in which the server requested it, if
  /// it did.
  struct Tell {
    std::string body;
    std::uint64_t asked_in = 0;
  };
  std::deque<Tell> tells_;                   ///< Wait for a connection.
  std::size_t telling_ = 0;                  ///< Connections that carry such a message.
  std::map<std::uint64_t, Signal*> pauses_;  ///< By the number of the call, or kSessionStream.
  bool listening_ = false;
  bool is_lost_ = false;  ///< It was unreachable on its last use.
  HttpConnectionPtr listener_;
  bool stopping_ = false;
};

}  // namespace bartizan
