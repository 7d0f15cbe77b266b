#include "gateway/bridge/bridged_listen.h"

#include <algorithm>
#include <utility>

#include "gateway/bridge/message_text.h"
#include "gateway/catalogue/naming.h"
#include "gateway/upstream/server_handshake.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// The time for a server to agree to one subscription.
constexpr std::chrono::seconds kPatience{10};
/// The most resources of one subscription; the acknowledgement leaves out further ones.
constexpr std::size_t kResourcesMax = 1000;

std::string subscription_meta() {
  std::string meta = R"("_meta":{")";
  meta += meta_key::subscription_id;
  meta += "\":";
  meta += kBridgeId;
  return meta + "}";
}

std::string about(std::string_view uri) {
  return R"({"uri":)" + json_string(uri) + "}";
}

}  // namespace

void BridgedListens::notify(const InstanceKey& key, MethodId method, std::string_view uri) {
  for (BridgedListen* listen : std::set(all_)) {
    if (listen->server_.key() == key) listen->notify(method, uri);
  }
}

void BridgedListens::end(const InstanceKey& key) {
  for (BridgedListen* listen : std::set(all_)) {
    if (listen->server_.key() == key) listen->end();
  }
}

bool BridgedListens::follows(const InstanceKey& key, std::string_view uri) const {
  return std::ranges::any_of(all_, [&](const BridgedListen* listen) {
    return listen->server_.key() == key && listen->uris_.contains(uri);
  });
}

BridgedListen::BridgedListen(const BridgeParts& parts, UpstreamHandle server,
                             AdvertisedFeatures offered, BridgedListens& listens,
                             IsFollowed is_followed)
    : parts_(parts),
      server_(std::move(server)),
      offered_(offered),
      listens_(listens),
      is_followed_(std::move(is_followed)) {}

BridgedListen::~BridgedListen() {
  listens_.all_.erase(this);
}

void BridgedListen::call(OutboundRequest&& request, std::shared_ptr<PendingCall> client) {
  client_ = std::move(client);
  const MessageText sent(request.permit.wire());
  wanted_ = read_listen_filter(sent.message.params.find("notifications"));
  wanted_.tools &= offered_.tools;
  wanted_.prompts &= offered_.prompts;
  wanted_.resources &= offered_.resources;
  // The bridge follows no tasks: servers of the legacy era have none.
  wanted_.tasks.reset();
  spawn(parts_.loop, begin());
}

Task<void> BridgedListen::begin() {
  const auto self = shared_from_this();
  // Registered before the server is asked, so that no change is missed meanwhile.
  listens_.all_.insert(this);
  const ListenFilter::Texts uris = wanted_.uris.value_or(ListenFilter::Texts());
  std::size_t asked = 0;
  for (const std::string& uri : uris) {
    if (!offered_.subscribe || ++asked > kResourcesMax) break;
    auto pending = std::make_shared<PendingCall>(parts_.loop);
    co_await send_own(parts_, server_, GatewayMessage::resources_subscribe, "resources/subscribe",
                      about(uri), pending);
    const Result<ReceivedMessage> answer =
        co_await next_answer(*pending, parts_.events, server_.key(), kPatience);
    if (!answer.has_value()) server_.cancel(pending);
    const bool agrees = answer.has_value() && answer->message.kind == MessageKind::response;
    if (agrees) uris_.insert(uri);
    if (is_over_) break;
  }
  if (is_over_)
    co_return co_await leave(parts_, server_, {uris_.begin(), uris_.end()}, is_followed_);
  acknowledge();
}

/// Sends the client the part of its subscriptions that is in force.
void BridgedListen::acknowledge() {
  ListenFilter agreed = wanted_;
  if (agreed.uris.has_value()) agreed.uris.emplace(uris_.begin(), uris_.end());
  deliver_text(parts_, *client_, write_acknowledgement(kBridgeId, agreed));
  is_acknowledged_ = true;
  for (const auto& [method, uri] : std::exchange(early_, {}))
    notify(method, uri);
}

void BridgedListen::notify(MethodId method, std::string_view uri) {
  const bool is_wanted =
      (method == MethodId::notifications_tools_list_changed && wanted_.tools) ||
      (method == MethodId::notifications_prompts_list_changed && wanted_.prompts) ||
      (method == MethodId::notifications_resources_list_changed && wanted_.resources) ||
      (method == MethodId::notifications_resources_updated &&
       std::ranges::any_of(uris_,
                           [uri](std::string_view followed) { return is_part_of(uri, followed); }));
  if (!is_wanted || is_over_) return;
  if (!is_acknowledged_) return void(early_.emplace(method, uri));
  std::string params = "{" + subscription_meta();
  if (!uri.empty()) params += R"(,"uri":)" + json_string(uri);
  deliver_text(parts_, *client_, write_notification(find_method(method).name, params + "}"));
}

void BridgedListen::end() {
  if (std::exchange(is_over_, true)) return;
  listens_.all_.erase(this);
  if (!is_acknowledged_) return client_->fail(server_failed("the server has begun anew"));
  deliver_text(parts_, *client_,
               write_result(kBridgeId, R"({"resultType":"complete",)" + subscription_meta() + "}"));
}

void BridgedListen::cancel() {
  if (std::exchange(is_over_, true)) return;
  listens_.all_.erase(this);
  // Otherwise `begin` is still running, and detects the end.
  if (!is_acknowledged_) return;
  spawn(parts_.loop, leave(parts_, server_, {uris_.begin(), uris_.end()}, is_followed_));
}

/// Ends the subscriptions that no other client has.
Task<void> BridgedListen::leave(BridgeParts parts, UpstreamHandle server,
                                std::set<std::string> uris, IsFollowed is_followed) {
  for (const std::string& uri : uris) {
    if (co_await is_followed(server.key(), uri)) continue;
    auto pending = std::make_shared<PendingCall>(parts.loop);
    co_await send_own(parts, server, GatewayMessage::resources_unsubscribe, "resources/unsubscribe",
                      about(uri), pending);
    // One after the other: all at once would take the places of other calls.
    const Result<ReceivedMessage> answer =
        co_await next_answer(*pending, parts.events, server.key(), kPatience);
    if (!answer.has_value()) server.cancel(pending);
  }
}

}  // namespace bartizan
