#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/config.h"
#include "gateway/http/http_client.h"
#include "gateway/launch/launcher.h"
#include "gateway/process/executable_check.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/runtime/random.h"
#include "gateway/upstream/agent_links.h"
#include "gateway/upstream/server_definition.h"
#include "gateway/upstream/server_ear.h"
#include "gateway/upstream/upstream.h"

namespace bartizan {

class UpstreamSet;

/// A handle to one instance, for any worker. It posts to the instance's home. It keeps the
/// instance's definition alive, and so the instance.
///
/// Threads: any.
class UpstreamHandle {
 public:
  UpstreamHandle() = default;
  UpstreamHandle(UpstreamSet& home, InstanceKey key, ServerDefinitionPtr definition)
      : instance_(std::make_shared<const Instance>(&home, std::move(key), std::move(definition))) {}

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) const;
  /// False if the home is overloaded and did not take the message. `asked_in` as for
  /// `Upstream::tell`.
  [[nodiscard]] bool tell(Permit permit, std::uint64_t asked_in) const;
  /// A client's answer to a server's request. Always accepted: the number of waiting server
  /// requests is bounded.
  void answer(Permit permit, std::uint64_t asked_in) const;
  void cancel(std::shared_ptr<PendingCall> pending) const;
  /// Makes an instance of the modern era listen for the changes that legacy clients expect without
  /// a subscription (`ServerEar`).
  void hear() const;
  /// A legacy client subscribes to a resource, or unsubscribes. `asker` gets the response of a
  /// legacy server.
  void follow(ServerEar::Wish wish, std::shared_ptr<PendingCall> asker) const;
  const InstanceKey& key() const;
  /// Whether it leads to the instance of that key in that set.
  bool leads_to(const UpstreamSet& home, const InstanceKey& key) const {
    return instance_ != nullptr && instance_->home == &home && instance_->key == key;
  }
  /// The most calls in progress at the instance; 0 for an empty handle.
  std::size_t max_in_flight() const {
    return instance_ == nullptr ? 0 : instance_->definition->config.max_in_flight;
  }
  /// `ServerDefinition::program` of the server; empty for an empty handle.
  std::string_view program() const {
    return instance_ == nullptr ? std::string_view() : instance_->definition->program;
  }
  /// Members of its tools that may change; none for an empty handle.
  std::span<const std::string> volatile_members() const {
    if (instance_ == nullptr) return {};
    return instance_->definition->volatile_members;
  }
  explicit operator bool() const { return instance_ != nullptr; }

 private:
  /// Shared, since handles are copied often.
  struct Instance {
    UpstreamSet* home;
    InstanceKey key;
    ServerDefinitionPtr definition;
  };

  std::shared_ptr<const Instance> instance_;
};

/// The parts of a caller that decide which instance serves its call.
struct InstanceCaller {
  std::string_view principal;
  std::string_view session;  ///< Empty in the modern era.
  Era era = Era::legacy;     ///< The era that the server speaks.
  /// The client is of the modern era, and its requests arrive at any worker. A legacy server may
  /// keep state between them, so they share one session with it.
  bool is_modern = false;
};

/// The instances whose home is one worker. Each is created on its first call.
///
/// A child process has one home among all workers, chosen by its key. A URL has an instance with
/// its own connections in each worker, so that no call to it crosses workers. Calls of modern
/// clients to a legacy server at a URL also have one home among all workers.
/// Threads: its worker's.
class UpstreamSet {
 public:
  UpstreamSet(Loop& loop, MemoryBudget& memory, const Launcher& launcher, UpstreamEvents events);
  ~UpstreamSet();

  using Clock = std::chrono::steady_clock;

  /// The definitions of one revision of the configuration, and the time at which instances of other
  /// definitions end.
  struct Servers {
    const ServerDefinitions& definitions;
    std::uint64_t revision = 0;
    Clock::time_point others_end;
  };
  /// Called before any call, and again after a change of the configuration. Instances of other
  /// definitions serve the calls that began with them. They end after those calls (`sweep`), at
  /// `others_end` at the latest.
  void serve(const Servers& servers);
  /// Sets the sets of all workers, in the order of the workers. Called once, before any call.
  void set_peers(std::vector<UpstreamSet*> peers) { peers_ = std::move(peers); }
  /// Sets the connected agents. Without them no agent is found, but their tools can be listed.
  void set_agents(const AgentLinks& agents) { agents_ = &agents; }

  /// The instance that serves this caller, on its home worker.
  UpstreamHandle handle(const ServerDefinitionPtr& server, const InstanceCaller& caller);

  /// The instance of that key, created if needed. Null for an ended owner, and for an expired
  /// definition. On its own worker only.
  std::shared_ptr<Upstream> find_or_make(const InstanceKey& key,
                                         const ServerDefinitionPtr& definition);
  /// The instance of that key; null if there is none.
  std::shared_ptr<Upstream> find(const InstanceKey& key) const;
  /// The subscription at the instance of that key, on its own worker only. Null if there is no such
  /// instance, or if it takes one call at a time.
  std::shared_ptr<ServerEar> ear(const InstanceKey& key, const ServerDefinition& definition);
  /// Ends and removes the instance of that key, if there is one.
  void stop_instance(const InstanceKey& key);
  /// Ends and removes each instance whose key fits and that has no call in progress or waiting. The
  /// gateway's own subscription does not count.
  void stop_idle(const std::function<bool(const InstanceKey&)>& fits);
  /// Ends the instances of replaced definitions that no call needs or that have expired. Called
  /// periodically.
  void sweep(Clock::time_point now);
  /// Ends and removes the instances of an ended session. No more are created for it.
  void end_owner(std::string_view owner);
  void stop();
  /// The load of the instances here, by server.
  std::map<std::string, Upstream::Load, std::less<>> loads() const;
  /// The processes of the running instances here.
  std::vector<std::pair<InstanceKey, pid_t>> processes() const;
  Loop& loop() { return loop_; }

 private:
  std::shared_ptr<Upstream> downgrade_to_legacy(const InstanceKey& key);

  /// The state of one definition here: whether it still takes calls, and the connections to its
  /// URL.
  struct Server {
    std::weak_ptr<const ServerDefinition> definition;
    std::shared_ptr<HttpClient> client;
    std::optional<Clock::time_point> ends;  ///< Of a replaced definition.
  };
  using ServerKey = std::pair<std::string, std::uint64_t>;  ///< Name and generation.

  /// A key of views, for lookups.
  using KeyView = std::tuple<std::string_view, std::string_view, Era, std::uint32_t, std::uint64_t>;
  struct KeyLess {
    using is_transparent = void;
    static KeyView view(const InstanceKey& key) {
      return {key.owner, key.server, key.era, key.number, key.generation};
    }
    static KeyView view(const KeyView& key) { return key; }
    bool operator()(const auto& one, const auto& other) const { return view(one) < view(other); }
  };

  bool has_ended(std::string_view owner) const;
  Server& add(const ServerDefinitionPtr& definition);
  void stop_where(const std::function<bool(const InstanceKey&, const Upstream&)>& fits);

  Loop& loop_;
  MemoryBudget& memory_;
  const Launcher& launcher_;
  UpstreamEvents events_;
  ExecutableCheck executables_;
  Random random_;
  std::vector<UpstreamSet*> peers_;
  const AgentLinks* agents_ = nullptr;
  std::map<ServerKey, Server> servers_;
  std::uint64_t revision_ = 0;
  /// Of instances of current definitions, so that this map keeps no expired one alive. None is of
  /// an ended owner.
  std::map<InstanceKey, UpstreamHandle, KeyLess> handles_;
  /// Of modern clients at legacy servers behind URLs. Each leads to one home for all workers.
  std::map<InstanceKey, UpstreamHandle, KeyLess> pooled_handles_;
  std::map<InstanceKey, std::shared_ptr<Upstream>> instances_;
  /// Of the instances of the modern era that legacy clients use.
  std::map<InstanceKey, std::shared_ptr<ServerEar>> ears_;
  /// The last owners that ended. A late call does not create an instance for them again.
  std::deque<std::string> ended_owners_;
  bool stopping_ = false;
};

}  // namespace bartizan
