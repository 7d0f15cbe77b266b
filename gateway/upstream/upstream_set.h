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

/// A way to one instance from any worker: posts to the instance's home. Whoever holds it keeps the
/// definition that it belongs to, and so the instance.
///
/// Threads: any.
class UpstreamHandle {
 public:
  UpstreamHandle() = default;
  UpstreamHandle(UpstreamSet& home, InstanceKey key, ServerDefinitionPtr definition)
      : instance_(std::make_shared<const Instance>(&home, std::move(key), std::move(definition))) {}

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> pending) const;
  /// False when the home is overloaded and the message was not taken.
  /// `asked_in` as for `Upstream::tell`.
  [[nodiscard]] bool tell(Permit permit, std::uint64_t asked_in) const;
  /// An answer of the client's to a request of the server's. Always taken: there are no more of
  /// them than requests that servers wait with, which are bounded.
  void answer(Permit permit, std::uint64_t asked_in) const;
  void cancel(std::shared_ptr<PendingCall> pending) const;
  /// Has an instance of the modern era tell what its clients of the legacy era expect to hear
  /// without having asked (`ServerEar`).
  void hear() const;
  /// Such a client follows a resource, or does not any more; `asker` gets what a legacy server
  /// would answer.
  void follow(ServerEar::Wish wish, std::shared_ptr<PendingCall> asker) const;
  const InstanceKey& key() const;
  /// Whether it leads to the instance of that key whose home is that set.
  bool leads_to(const UpstreamSet& home, const InstanceKey& key) const {
    return instance_ != nullptr && instance_->home == &home && instance_->key == key;
  }
  /// Calls that the instance may have in progress; 0 of a handle to none.
  std::size_t max_in_flight() const {
    return instance_ == nullptr ? 0 : instance_->definition->config.max_in_flight;
  }
  /// What the server is (`ServerDefinition::program`); empty of a handle to none.
  std::string_view program() const {
    return instance_ == nullptr ? std::string_view() : instance_->definition->program;
  }
  /// Members of its tools that may change; none of a handle to none.
  std::span<const std::string> volatile_members() const {
    if (instance_ == nullptr) return {};
    return instance_->definition->volatile_members;
  }
  explicit operator bool() const { return instance_ != nullptr; }

 private:
  /// Shared, since a handle comes through many hands.
  struct Instance {
    UpstreamSet* home;
    InstanceKey key;
    ServerDefinitionPtr definition;
  };

  std::shared_ptr<const Instance> instance_;
};

/// Who calls, as far as it decides which instance serves the call.
struct InstanceCaller {
  std::string_view principal;
  std::string_view session;  ///< Empty in the modern era.
  Era era = Era::legacy;     ///< In which the server is spoken to.
  /// The client is of the modern era, whose requests come to any worker. A server of the legacy era
  /// may keep something between them: they are of one session with it.
  bool is_modern = false;
};

/// The instances whose home is one worker, made when they are first called.
///
/// A child process has one home for all workers, chosen by its key; a URL has an instance in each
/// worker, with connections of its own, so that no call to it crosses workers. Only calls of modern
/// clients to a legacy server go to one home for all workers there, too.
/// Threads: its worker's.
class UpstreamSet {
 public:
  UpstreamSet(Loop& loop, MemoryBudget& memory, const Launcher& launcher, UpstreamEvents events);
  ~UpstreamSet();

  using Clock = std::chrono::steady_clock;

  /// The definitions of one revision of the configuration, and how long instances of others may
  /// outlive it.
  struct Servers {
    const ServerDefinitions& definitions;
    std::uint64_t revision = 0;
    Clock::time_point others_end;
  };
  /// Called before any call, and again when the configuration was replaced. An instance of a
  /// definition that is not among these serves the calls that began with it, and ends after them
  /// (`sweep`), at `others_end` at the latest.
  void serve(const Servers& servers);
  /// Tells this set all sets, in the order of the workers. Called once, before any call.
  void set_peers(std::vector<UpstreamSet*> peers) { peers_ = std::move(peers); }
  /// Where agents that connected are found. Without it none is, and their tools can be listed.
  void set_agents(const AgentLinks& agents) { agents_ = &agents; }

  /// The instance that serves this caller, wherever its home is.
  UpstreamHandle handle(const ServerDefinitionPtr& server, const InstanceCaller& caller);

  /// The instance of that key, made if need be; null for an owner that has ended, and for a
  /// definition whose time is over. On its own worker only.
  std::shared_ptr<Upstream> find_or_make(const InstanceKey& key,
                                         const ServerDefinitionPtr& definition);
  /// The instance of that key if there is one.
  std::shared_ptr<Upstream> find(const InstanceKey& key) const;
  /// What is listened for at the instance of that key, on its own worker only; null where there is
  /// no such instance, or where it takes one call at a time.
  std::shared_ptr<ServerEar> ear(const InstanceKey& key, const ServerDefinition& definition);
  /// Ends and forgets the instance of that key, if there is one.
  void stop_instance(const InstanceKey& key);
  /// Ends and forgets each instance that has no call, in progress or waiting, and whose key fits.
  void stop_idle(const std::function<bool(const InstanceKey&)>& fits);
  /// Ends the instances of definitions that `serve` replaced, where no call needs them any more or
  /// their time is over. Called now and then.
  void sweep(Clock::time_point now);
  /// Ends and forgets the instances of a session that has ended, and makes none for it again.
  void end_owner(std::string_view owner);
  void stop();
  /// The load of each server's instances here, by server.
  std::map<std::string, Upstream::Load, std::less<>> loads() const;
  /// The processes of the instances here that run.
  std::vector<std::pair<InstanceKey, pid_t>> processes() const;
  Loop& loop() { return loop_; }

 private:
  std::shared_ptr<Upstream> downgrade_to_legacy(const InstanceKey& key);

  /// One definition here: whether calls may still come, and the connections to its URL.
  struct Server {
    std::weak_ptr<const ServerDefinition> definition;
    std::shared_ptr<HttpClient> client;
    std::optional<Clock::time_point> ends;  ///< Of one that was replaced.
  };
  using ServerKey = std::pair<std::string, std::uint64_t>;  ///< Name and generation.

  /// A key by views, to look for it.
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
  /// Of instances of current definitions, so that none outlives its time by what is kept here; of
  /// no owner that has ended.
  std::map<InstanceKey, UpstreamHandle, KeyLess> handles_;
  /// Of modern clients at legacy servers behind URLs: to one home for all workers each.
  std::map<InstanceKey, UpstreamHandle, KeyLess> pooled_handles_;
  std::map<InstanceKey, std::shared_ptr<Upstream>> instances_;
  /// Of instances of the modern era, those that clients of the legacy era use.
  std::map<InstanceKey, std::shared_ptr<ServerEar>> ears_;
  /// The owners that ended last: a call that was on its way makes no instance for them again.
  std::deque<std::string> ended_owners_;
  bool stopping_ = false;
};

}  // namespace bartizan
