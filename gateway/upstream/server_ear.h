#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/signal.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

/// The gateway's own subscription at an instance of a modern server, for clients of the legacy era.
/// It covers the changes of all lists, and the resources that these clients subscribe to. All of
/// them share one subscription. Its notifications are reported as messages outside any call, in the
/// form of a legacy server.
///
/// Threads: those of the instance.
/// Source:  MCP 2026-07-28, basic/patterns/subscriptions.
class ServerEar : public std::enable_shared_from_this<ServerEar> {
 public:
  using Find = std::function<std::shared_ptr<Upstream>()>;

  /// Input: `find` finds the instance, which may have ended.
  ServerEar(Loop& home, MemoryBudget& memory, InstanceKey key, UpstreamEvents& events, Find find);

  /// Begins to listen, unless it listens already.
  void begin();
  /// A session subscribes to a resource, or unsubscribes.
  struct Wish {
    std::string uri;
    std::string session;
    bool begins = true;
  };
  /// Applies the wish. `asker` gets the response of a legacy server.
  void follow(Wish wish, std::shared_ptr<PendingCall> asker);
  /// The session has ended.
  void forget(const std::string& session);
  /// The instance has ended.
  void stop();
  /// Whether a subscription is among the calls in progress.
  bool is_listening() const { return stream_ != nullptr; }

 private:
  struct Question {
    Wish wish;
    std::shared_ptr<PendingCall> asker;
  };

  Task<void> run();
  Task<bool> open();
  Task<void> pause_for(std::chrono::seconds pause);
  Task<void> read(std::shared_ptr<PendingCall> stream);
  void hear(const Message& message);
  void answer(const std::shared_ptr<PendingCall>& asker, std::string text);
  void answer_all(const std::string& error);
  void leave(const std::string& uri, const std::string& session);
  OutboundRequest request() const;

  Loop& home_;
  MemoryBudget& memory_;
  InstanceKey key_;
  UpstreamEvents& events_;
  Find find_;
  /// The subscribed resources, and the sessions that subscribe to each. Bounded by `kResourcesMax`,
  /// and by the limit of each session.
  std::map<std::string, std::set<std::string>> followed_;
  std::vector<Question> questions_;            ///< Resources that wait for an acknowledgement.
  std::set<std::string, std::less<>> agreed_;  ///< The resources that the server acknowledged last.
  std::chrono::steady_clock::time_point opened_;
  std::shared_ptr<PendingCall> stream_;  ///< Acknowledged and open.
  Signal changed_;
  bool is_running_ = false;
  bool is_stale_ = false;  ///< The stream does not cover all subscribed resources.
  bool has_none_ = false;  ///< The server does not support subscriptions.
  bool is_stopped_ = false;
};

}  // namespace bartizan
