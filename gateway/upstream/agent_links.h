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
/// Connections at a time that have not said yet which agent they are, and those of one network.
inline constexpr std::size_t unknown_agents_max = 256;
inline constexpr std::size_t unknown_agents_of_network_max = 16;
}  // namespace limits

/// Whoever sends calls to an agent, on a loop of its own.
/// Threads: those of `home`.
class AgentCaller {
 public:
  explicit AgentCaller(Loop& home) : home_(home) {}
  AgentCaller(const AgentCaller&) = delete;
  AgentCaller& operator=(const AgentCaller&) = delete;
  virtual ~AgentCaller() = default;

  Loop& home() { return home_; }
  /// Takes a message of MCP that stands for what the agent answered.
  virtual void take(std::string message) = 0;
  /// The agent is gone: nothing more comes.
  virtual void on_gone() = 0;

 private:
  Loop& home_;
};

/// The connection of one agent that has identified itself. Its wire belongs to the loop at which
/// the agent came in; callers are on any loop.
///
/// Bounded: by the calls in progress of its callers, each of which it forgets when it is answered,
///          or given up.
/// Threads: any, where nothing else is said.
class AgentLink : public std::enable_shared_from_this<AgentLink> {
 public:
  /// Who the agent is, and since when: what operators are shown. Without its token.
  struct Posture {
    AgentIdentity identity;
    std::string token_sha256;  ///< By which it was taken.
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

  /// From now on the caller hears when the agent is gone: at once where it is.
  void attach(std::weak_ptr<AgentCaller> caller);
  /// A number for a request, never given before here.
  std::uint64_t next_number() { return last_number_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Sends a request of that number; its answer is the answer to `id_json` for the caller.
  void send(std::string request, std::uint64_t number, bool is_proxied, std::string id_json,
            std::weak_ptr<AgentCaller> caller);
  /// The caller wants no answer to that id any more.
  void forget(const AgentCaller* caller, std::string id_json);

  /// Takes one answer of the agent's; false where nobody waits for it. Threads: those of its loop.
  bool take_answer(JsonValue answer);
  /// The wire has ended. Threads: those of its loop.
  void end();

 private:
  struct Waiting {
    std::weak_ptr<AgentCaller> caller;
    const AgentCaller* who = nullptr;  ///< To tell callers apart, never looked into.
    std::string id_json;
    bool is_proxied = false;
  };

  Loop& loop_;
  std::shared_ptr<MessageWire> wire_;
  const std::string server_;
  const Posture posture_;
  std::atomic<std::uint64_t> last_number_ = 0;
  std::atomic<bool> is_over_ = false;
  // Of its loop's thread.
  std::map<std::uint64_t, Waiting> waiting_;
  std::vector<std::weak_ptr<AgentCaller>> callers_;
};
using AgentLinkPtr = std::shared_ptr<AgentLink>;

/// The agents that are connected, by the server that each is. An agent has one connection: who
/// comes second is refused, whatever it knows.
///
/// Bounded: by the configured servers, and by `limits::unknown_agents_max`. Threads: any.
class AgentLinks {
 public:
  /// Counts a connection that has not said yet which agent it is. False where there are too many,
  /// of that network or of all.
  bool admit_unknown(std::string_view network);
  void end_unknown(std::string_view network);
  /// Takes a connection. False where its server has one.
  bool add(const AgentLinkPtr& link);
  /// Forgets a connection that is over.
  void remove(const AgentLink& link);
  /// The connection of that server; null where its agent is not connected.
  AgentLinkPtr find(std::string_view server) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, AgentLinkPtr, std::less<>> links_;
  std::map<std::string, std::size_t, std::less<>> unknown_;  ///< By network.
  std::size_t unknown_count_ = 0;
};

}  // namespace bartizan
