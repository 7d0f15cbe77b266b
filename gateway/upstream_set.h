#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/http_client.h"
#include "gateway/loop.h"
#include "gateway/memory_budget.h"
#include "gateway/upstream.h"

namespace bartizan {

class UpstreamSet;

/// A way to one instance from any worker: posts to the instance's home.
///
/// Threads: any.
class UpstreamHandle {
 public:
  UpstreamHandle() = default;
  UpstreamHandle(UpstreamSet& home, InstanceKey key) : home_(&home), key_(std::move(key)) {}

  void call(OutboundRequest request, std::shared_ptr<PendingCall> pending) const;
  void tell(Permit permit) const;
  void cancel(std::shared_ptr<PendingCall> pending) const;
  const InstanceKey& key() const { return key_; }
  explicit operator bool() const { return home_ != nullptr; }

 private:
  UpstreamSet* home_ = nullptr;
  InstanceKey key_;
};

/// Who calls, as far as it decides which instance serves the call.
struct InstanceCaller {
  std::string_view principal;
  std::string_view session;  ///< Empty in the modern era.
  Era era = Era::legacy;
};

/// The instances whose home is one worker, made when they are first called.
///
/// A child process has one home for all workers, chosen by its key; a URL has an instance in each
/// worker, with connections of its own, so that no call to it crosses workers.
/// Threads: its worker's, except for `handle`.
class UpstreamSet {
 public:
  UpstreamSet(Loop& loop, MemoryBudget& memory, UpstreamEvents events);
  ~UpstreamSet();

  /// Makes room for a server; called before any call, on its worker or before it runs.
  /// Errors: config_invalid when credentials or certificates cannot be read.
  Result<void> add_server(const ServerConfig& config);
  /// Tells this set all sets, in the order of the workers. Called once, before any call.
  void set_peers(std::vector<UpstreamSet*> peers) { peers_ = std::move(peers); }

  /// The instance that serves this caller, wherever its home is.
  UpstreamHandle handle(const ServerConfig& server, const InstanceCaller& caller);

  /// The instance of that key, made if need be; null for an owner that has ended. On its own
  /// worker only.
  std::shared_ptr<Upstream> find_or_make(const InstanceKey& key);
  /// The instance of that key if there is one.
  std::shared_ptr<Upstream> find(const InstanceKey& key) const;
  /// Ends and forgets the instances of that owner.
  void stop_instances(std::string_view owner);
  /// The same for a session that has ended, and makes none for it again.
  void end_owner(std::string_view owner);
  void stop();
  /// The load of each server's instances here, by server.
  std::map<std::string, Upstream::Load, std::less<>> loads() const;
  Loop& loop() { return loop_; }

 private:
  std::shared_ptr<Upstream> turn_legacy(const InstanceKey& key);

  struct Server {
    ServerConfig config;
    std::string bearer;
    std::unique_ptr<HttpClient> client;
  };

  Loop& loop_;
  MemoryBudget& memory_;
  UpstreamEvents events_;
  std::vector<UpstreamSet*> peers_;
  std::map<std::string, Server, std::less<>> servers_;
  std::map<InstanceKey, std::shared_ptr<Upstream>> instances_;
  /// The owners that ended last: a call that was on its way makes no instance for them again.
  std::deque<std::string> ended_owners_;
  bool stopping_ = false;
};

}  // namespace bartizan
