#include "gateway/call/relayed_notification.h"

#include <utility>

#include "gateway/call/call_task.h"
#include "gateway/catalogue/naming.h"
#include "gateway/message/restore_message.h"
#include "gateway/runtime/clock.h"
#include "policy/check/check_features.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// News of a task has a result in it, which is held against its tool's schema first
/// (`Relay::pass_task`); outside of a subscription to the task it is passed on to nobody.
bool is_of_task(MethodId method) {
  return method == MethodId::notifications_tasks || method == MethodId::notifications_tasks_status;
}

}  // namespace

bool may_pass(const CallFrame& frame, const Message& notification, std::string_view token) {
  // Progress that nobody asked for has no token to go under.
  if (notification.known->id == MethodId::notifications_progress && token.empty()) return false;
  const MethodId method = notification.known->id;
  const auto feature = needed_feature(method);
  if (feature.has_value() && !frame.policy().allows_feature(frame.call.server, *feature))
    return false;
  if (method == MethodId::notifications_resources_updated) {
    // A subscription may have outlived the policy that it began under.
    const Snapshot& present = *frame.worker.snapshot;
    const PrincipalPtr principal = present.authenticator.rebind(frame.principal());
    return principal != nullptr &&
           present.policy->shows(*principal, TargetKind::resource, frame.call.server,
                                 notification.uri.text(),
                                 any_call_at(seconds_now(), frame.call.facts.endpoint));
  }
  return notification.known->from_server && method != MethodId::notifications_cancelled &&
         !is_of_task(method);
}

namespace {

/// The resources that a client follows by the call, or by its session.
const Followed* followed_in(const CallFrame& frame, const Subscription* listening) {
  if (listening != nullptr) return &listening->named();
  return frame.session == nullptr ? nullptr : &frame.session->subscriptions;
}

/// What a client is told to have subscribed to at one server.
std::vector<Splice> name_acknowledged(const CallFrame& frame, const Subscription& listening,
                                      JsonValue uris) {
  if (!uris || listening.named().empty()) return {};
  std::vector<Splice> splices;
  for (const JsonValue uri : uris) {
    const std::string own(uri.text());
    if (!listening.named().contains({std::string(frame.call.server), own})) continue;
    splices.push_back(
        {SpliceKind::resource_uri, uri.range(), json_string(named_uri(frame.call.server, own))});
  }
  return splices;
}

/// The URIs of resources in a notification in the form by which the client named them.
std::vector<Splice> name_in_notification(const CallFrame& frame, const Subscription* listening,
                                         const Message& notification) {
  if (notification.known->id == MethodId::notifications_subscriptions_acknowledged) {
    if (listening == nullptr) return {};
    const JsonValue agreed = notification.params.find("notifications");
    std::vector<Splice> splices =
        name_acknowledged(frame, *listening, agreed.find("resourceSubscriptions"));
    if (const JsonValue tasks = agreed.find("taskIds")) {
      splices.push_back({SpliceKind::task_id, tasks.range(), followed_ids(frame, tasks)});
    }
    return splices;
  }
  const Followed* followed = followed_in(frame, listening);
  if (notification.known->id != MethodId::notifications_resources_updated || followed == nullptr) {
    return {};
  }
  const std::string uri(notification.uri.text());
  // What reads as another server's resource is named as the sender's own.
  const bool is_named = followed_as(*followed, frame.call.server, uri) == UriForm::named ||
                        split_named_uri(uri).has_value();
  if (!is_named) return {};
  return {{SpliceKind::resource_uri, notification.uri.range(),
           json_string(named_uri(frame.call.server, uri))}};
}

/// What it is about, for whoever comes back for it later.
Subject subject_of(const CallFrame& frame, const Message& notification) {
  const MethodId method = notification.known->id;
  const bool is_update = method == MethodId::notifications_resources_updated;
  return {.server = std::string(frame.call.server),
          .method = method,
          .uri = std::string(is_update ? notification.uri.text() : "")};
}

}  // namespace

void send_notification(const CallFrame& frame, const Subscription* listening,
                       ReceivedMessage& received, std::string_view token) {
  const Message& message = received.message;
  const Subject subject = subject_of(frame, message);
  std::vector<Splice> names = name_in_notification(frame, listening, message);
  frame.exchange->send_about(
      restore_message(std::move(received.bytes), message, frame.id_text, token, std::move(names)),
      subject);
}

}  // namespace bartizan
