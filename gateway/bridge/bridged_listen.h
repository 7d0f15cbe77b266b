#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/bridge/bridged_call.h"
#include "gateway/catalogue/directory.h"
#include "gateway/runtime/signal.h"
#include "schemas/message/listen_filter.h"
#include "schemas/message/message.h"

namespace bartizan {

class BridgedListen;

/// The subscriptions of modern clients to legacy servers, of one worker.
///
/// Threads: that worker's.
class BridgedListens {
 public:
  /// Forwards a server's change of a list or resource, announced outside any call, to its
  /// subscribers. Input: `uri`, the resource; empty for a list.
  void notify(const InstanceKey& key, MethodId method, std::string_view uri);
  /// Ends the subscriptions to an instance that has restarted, since it no longer knows them. Their
  /// clients subscribe again.
  void end(const InstanceKey& key);
  /// Whether a client of this worker follows that resource of an instance.
  bool follows(const InstanceKey& key, std::string_view uri) const;

 private:
  friend class BridgedListen;
  std::set<BridgedListen*> all_;
};

/// One `subscriptions/listen` of a modern client at a legacy server. It subscribes to each
/// resource. Of the server's messages outside any call, the client gets those that it asked for.
///
/// Source: MCP 2026-07-28, basic/patterns/subscriptions; 2025-11-25, server/resources.
class BridgedListen final : public BridgedCall, public std::enable_shared_from_this<BridgedListen> {
 public:
  /// Whether any other client, on any worker, follows a resource of the instance.
  using IsFollowed = std::function<Task<bool>(InstanceKey key, std::string uri)>;

  BridgedListen(const BridgeParts& parts, UpstreamHandle server, AdvertisedFeatures offered,
                BridgedListens& listens, IsFollowed is_followed);
  ~BridgedListen() override;

  void call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) override;
  void cancel() override;

 private:
  friend class BridgedListens;

  Task<void> begin();
  static Task<void> leave(BridgeParts parts, UpstreamHandle server, std::set<std::string> uris,
                          IsFollowed is_followed);
  void acknowledge();
  void notify(MethodId method, std::string_view uri);
  void end();

  BridgeParts parts_;
  UpstreamHandle server_;
  AdvertisedFeatures offered_;
  BridgedListens& listens_;
  IsFollowed is_followed_;
  std::shared_ptr<PendingCall> client_;
  ListenFilter wanted_;                      ///< Limited to what the server offers.
  std::set<std::string, std::less<>> uris_;  ///< Those that the server agreed to.
  /// Changes before the acknowledgement, which must be sent first.
  std::set<std::pair<MethodId, std::string>> early_;
  bool is_acknowledged_ = false;
  bool is_over_ = false;
};

}  // namespace bartizan
