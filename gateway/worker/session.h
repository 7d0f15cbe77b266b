#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "audit/record.h"
#include "config/config.h"
#include "gateway/bridge/bridged_call.h"
#include "gateway/catalogue/directory.h"
#include "gateway/identity/authenticate.h"
#include "gateway/message/exchange.h"
#include "gateway/message/pending_call.h"
#include "gateway/reply/resume_buffer.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/upstream/upstream_set.h"
#include "gateway/worker/followed.h"
#include "policy/check/check_features.h"
#include "policy/check/flow_set.h"
#include "schemas/base/text_hash.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {

namespace limits {
/// Calls of a session that are kept for approvers of the next one.
inline constexpr std::size_t calls_before_max = 20;
}  // namespace limits

/// A server's request to this session's client that has no response yet.
struct ServerRequest {
  UpstreamHandle upstream;
  std::shared_ptr<BridgedCall> bridge;  ///< For a request of a modern server.
  std::uint64_t asked_in = 0;           ///< The start of the server in which it asked.
  std::string server;
  std::string id_json;  ///< The server's own id.
  DecisionId decision_id;
  std::string_view method;        ///< A name of the method table.
  std::vector<ToolLabel> labels;  ///< The labels of the tool that gets the answer.
  bool is_answered = false;  ///< The client's answer is being recorded; there is no second one.
};

/// One session of a legacy revision: what the client and the gateway agreed on, and what is in
/// progress. It never authenticates: the caller that presents its id must prove its principal
/// anyway.
///
/// Threads: its home worker's only.
struct Session {
  using Clock = std::chrono::steady_clock;

  std::string id;
  /// The keyed digest of the id for records; empty until a record was written.
  std::string record_digest = {};
  PrincipalPtr principal;  ///< As the present policy knows it; never null.
  /// The endpoint where it began, as in `Credentials`. It is valid there only.
  std::optional<std::string> endpoint = {};
  Credential credential{};         ///< The last proof of the principal.
  Credential stream_credential{};  ///< The proof when the stream was opened.
  ProtocolVersion version = kNewestLegacyVersion;
  std::string client_name;
  std::string client_version;
  DeclaredFeatures client_features;
  Clock::time_point begun;
  Clock::time_point last_used;
  Clock::time_point roots_told;  ///< When servers were last told that the client's roots changed.
  std::uint32_t in_use = 0;      ///< Exchanges in progress; a session in use does not idle out.

  /// The client's requests in progress, by their id as the client spelled it.
  std::unordered_map<std::string, std::shared_ptr<PendingCall>, TextHash, std::equal_to<>> calls;
  FlowMarks flow;  ///< What its calls have read.
  /// Its last calls, oldest first, for approvers of the next one: `TIME SERVER/TARGET`. Kept if a
  /// policy requires approvals; `limits::calls_before_max` at most.
  std::deque<std::string> calls_before;
  AdvertisedFeatures offered;  ///< What `initialize` told the client.
  /// Servers' requests in progress, by the id that the gateway gave them.
  std::unordered_map<std::uint64_t, ServerRequest> server_requests;
  std::uint64_t last_server_request = 0;
  Followed subscriptions;  ///< The resources that the client follows.
  std::string log_level;   ///< The level that the client set last; empty if none.
  /// The client's GET stream, if it has one: open, or waiting for the client to come back.
  std::shared_ptr<Exchange> stream;
  /// The kept events of its streams; null until one begins.
  std::shared_ptr<ResumeBuffer> kept;
  /// The end of each server's log messages on `stream` (`last_words`), which the next one may
  /// continue, and the memory for it.
  std::map<std::string, std::string, std::less<>> last_logged;
  MemoryBudget::Reservation logged_memory;
};

/// The owner of a session: a principal at an endpoint.
struct SessionOwner {
  std::string_view principal;
  std::optional<std::string_view> endpoint = {};  ///< As in `Credentials`.
};

/// The owner that a caller is. Lifetime: views the caller.
SessionOwner owner_of(const Authenticated& caller);
/// The owner that a session has. Lifetime: views the session.
SessionOwner owner_of(const Session& session);

/// The bound that prevents a new session.
enum class SessionBound : std::uint8_t {
  principal,  ///< `[session] max_concurrent`: the principal has as many as it may.
  total       ///< `[session] max_concurrent_sessions`: all together have as many as they may.
};

/// How many sessions each principal has, over all workers.
///
/// Threads: any. Bounded by the principals that have sessions.
class SessionCounts {
 public:
  /// Counts one more session, or returns the bound that prevents it.
  std::optional<SessionBound> take(std::string_view principal, const SessionConfig& config);
  void give_back(std::string_view principal);
  std::size_t total();

 private:
  std::mutex mutex_;
  std::size_t total_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> counts_;
};

/// The sessions whose home is one worker.
///
/// Threads: that worker's.
class Sessions {
 public:
  Sessions(std::uint16_t worker, SessionCounts& counts) : worker_(worker), counts_(counts) {}

  /// Begins a session of that caller with an unguessable id of 16 random bytes, or returns the
  /// bound that prevents it.
  std::expected<std::shared_ptr<Session>, SessionBound> begin(
      const Authenticated& caller, const SessionConfig& config,
      const std::array<std::uint8_t, 16>& random, Session::Clock::time_point now);
  /// The owner's living session with that id, or null. Unknown and expired sessions, and those of
  /// other owners or endpoints, look the same to a caller.
  std::shared_ptr<Session> find(std::string_view id, const SessionOwner& owner,
                                const SessionConfig& config, Session::Clock::time_point now);
  void end(const std::string& id);
  /// Ends expired sessions, and drops expired events. Returns the ended ids.
  std::vector<std::string> expire(const SessionConfig& config, Session::Clock::time_point now);

  /// Ends the sessions whose principal or credential is no longer accepted, and their streams.
  /// Returns the ended ids. A stream that a removed key opened ends, even if its session continues.
  /// The other sessions get the principals of the present policy.
  std::vector<std::string> end_revoked(const Authenticator& authenticator, std::int64_t now);
  /// Removes all subscriptions to resources of that server.
  void forget_server(std::string_view server);

  std::size_t size() const { return sessions_.size(); }
  std::vector<std::shared_ptr<Session>> all() const;
  void for_each(const std::function<void(Session&)>& visit);

 private:
  std::uint16_t worker_;
  SessionCounts& counts_;
  std::unordered_map<std::string, std::shared_ptr<Session>, TextHash, std::equal_to<>> sessions_;
};

/// The home worker that a session id names; nothing for an id that no worker issued.
std::optional<std::uint16_t> session_home(std::string_view id);

}  // namespace bartizan
