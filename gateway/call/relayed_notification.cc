#include "gateway/call/relayed_notification.h"

#include "gateway/runtime/clock.h"
#include "policy/check/check_features.h"

namespace bartizan {
namespace {

/// Tasks are not passed on, and so nothing of one is: it would have a result in it that was held
/// against no schema.
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
    const Policy& policy = *frame.worker.snapshot->policy;
    const Principal* principal = policy.find_principal(frame.principal().id);
    return principal != nullptr &&
           policy.shows(*principal, TargetKind::resource, frame.call.server,
                        notification.uri.text(), any_call_at(seconds_now()));
  }
  return notification.known->from_server && method != MethodId::notifications_cancelled &&
         !is_of_task(method);
}

Subject subject_of(const CallFrame& frame, const Message& notification) {
  const MethodId method = notification.known->id;
  const bool is_update = method == MethodId::notifications_resources_updated;
  return {.server = std::string(frame.call.server),
          .method = method,
          .uri = std::string(is_update ? notification.uri.text() : "")};
}

}  // namespace bartizan
