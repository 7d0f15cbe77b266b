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

/// What the gateway listens for at an instance of a modern server, for clients of the legacy era:
/// changes of all lists, and the resources that these clients follow. There is one subscription for
/// all of them. What comes by it is reported as a message outside any call, as a legacy server
/// sends it.
///
/// Threads: those of the instance.
/// Source:  MCP 2026-07-28, basic/patterns/subscriptions.
class ServerEar : public std::enable_shared_from_this<ServerEar> {
 public:
  using Find = std::function<std::shared_ptr<Upstream>()>;

  /// Input: how to find the instance, which may have ended.
  ServerEar(Loop& home, MemoryBudget& memory, InstanceKey key, UpstreamEvents& events, Find find);

  /// Begins to listen, unless it does.
  void begin();
  /// A resource that a session follows, or does not any more.
  struct Wish {
    std::string uri;
    std::string session;
    bool begins = true;
  };
  /// Does that; `asker` gets the answer of a legacy server to it.
  void follow(Wish wish, std::shared_ptr<PendingCall> asker);
  /// The session has ended.
  void forget(const std::string& session);
  /// The instance has ended.
  void stop();
  /// Whether a subscription is one of the calls in progress.
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
  /// The resources that clients follow, and the sessions that do. Bounded by `kResourcesMax`, and
  /// by what each session may follow.
  std::map<std::string, std::set<std::string>> followed_;
  std::vector<Question> questions_;            ///< Resources whose acknowledgement is waited for.
  std::set<std::string, std::less<>> agreed_;  ///< That the server acknowledged last.
  std::chrono::steady_clock::time_point opened_;
  std::shared_ptr<PendingCall> stream_;  ///< That is acknowledged, and open.
  Signal changed_;
  bool is_running_ = false;
  bool is_stale_ = false;  ///< Clients follow others than the stream is for.
  bool has_none_ = false;  ///< The server knows no subscriptions.
  bool is_stopped_ = false;
};

}  // namespace bartizan
