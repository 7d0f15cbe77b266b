#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/framing/message_wire.h"
#include "gateway/runtime/loop.h"
#include "gateway/upstream/agent_messages.h"

namespace bartizan {

namespace limits {
/// The most connections of agents that have not identified themselves yet: in total, and from one
/// network.
inline constexpr std::size_t unknown_agents_max = 256;
inline constexpr std::size_t unknown_agents_of_network_max = 16;
}  // namespace limits

/// A sender of calls to an agent, on a loop of its own.
/// Threads: those of `home`.
class AgentCaller {
 public:
  explicit AgentCaller(Loop& home) : home_(home) {}
  AgentCaller(const AgentCaller&) = delete;
  AgentCaller& operator=(const AgentCaller&) = delete;
  virtual ~AgentCaller() = default;

  Loop& home() { return home_; }
  /// Takes an MCP message that the agent's answer was translated into.
  virtual void take(std::string message) = 0;
  /// The agent has disconnected. No further messages arrive.
  virtual void on_gone() = 0;

 private:
  Loop& home_;
};

/// The connection of one identified agent. Its wire belongs to the loop that accepted the agent.
/// Callers may be on any loop.
///
/// Bounded: by its callers' calls in progress. A call's entry is removed when the call is answered
///          or given up.
/// Threads: any, unless stated otherwise.
class AgentLink : public std::enable_shared_from_this<AgentLink> {
 public:
  /// The identity of an agent and the start of its connection, as shown to operators. Without its
  /// token.
  struct Posture {
    AgentIdentity identity;
    std::string token_sha256;  ///< Of the token that it was accepted by.
    std::string source;        ///< `ip:port`
    std::int64_t since = 0;    ///< Seconds since 1970 UTC.
  };

  AgentLink(Loop& loop, std::shared_ptr<MessageWire> wire, std::string server, Posture posture)
      : loop_(loop),
        wire_(std::move(wire)),
        server_(std::move(server)),
        posture_(std::move(posture)) {}

  const std::string& server() const { return server_; }
  const Posture& posture() const { return posture_; }

  /// Notifies the caller when the agent disconnects; at once if it has.
  void attach(std::weak_ptr<AgentCaller> caller);
  /// A new number for a request; unique on this connection.
  std::uint64_t next_number() { return last_number_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Sends a request with that number. The caller gets the answer under `id_json`.
  void send(std::string request, std::uint64_t number, bool is_proxied, std::string id_json,
            std::weak_ptr<AgentCaller> caller);
  /// The caller no longer wants an answer to that id.
  void forget(const AgentCaller* caller, std::string id_json);

  /// Takes one answer of the agent; false if nobody waits for it. Threads: those of its loop.
  bool take_answer(JsonValue answer);
  /// The wire has ended. Threads: those of its loop.
  void end();

 private:
  struct Waiting {
    std::weak_ptr<AgentCaller> caller;
    const AgentCaller* who = nullptr;  ///< Tells callers apart; never dereferenced.
    std::string id_json;
    bool is_proxied = false;
  };

  Loop& loop_;
  std::shared_ptr<MessageWire> wire_;
  const std::string server_;
  const Posture posture_;
  std::atomic<std::uint64_t> last_number_ = 0;
  std::atomic<bool> is_over_ = false;
  // Only on the thread of `loop_`.
  std::map<std::uint64_t, Waiting> waiting_;
  std::vector<std::weak_ptr<AgentCaller>> callers_;
};
using AgentLinkPtr = std::shared_ptr<AgentLink>;

/// The connected agents, by their servers. An agent has one connection. A second connection is
/// refused, whatever it presents.
///
/// Bounded: by the configured servers, and by `limits::unknown_agents_max`. Threads: any.
class AgentLinks {
 public:
  /// Counts a connection whose agent has not identified itself. False if there are too many, from
  /// that network or in total.
  bool admit_unknown(std::string_view network);
  void end_unknown(std::string_view network);
  /// Adds a connection. False if its server has one already.
  bool add(const AgentLinkPtr& link);
  /// Removes a closed connection.
  void remove(const AgentLink& link);
  /// The connection of that server's agent; null if it is not connected.
  AgentLinkPtr find(std::string_view server) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, AgentLinkPtr, std::less<>> links_;
  std::map<std::string, std::size_t, std::less<>> unknown_;  ///< By network.
  std::size_t unknown_count_ = 0;
};

}  // namespace bartizan
