#pragma once

#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/subscription.h"
#include "gateway/message/exchange.h"
#include "schemas/message/splice.h"

namespace bartizan {

/// Whether a notification during a call may be sent to its client. `token` is the client's progress
/// token, and empty if it gave none.
bool may_pass(const CallFrame& frame, const Message& notification, std::string_view token);

/// Sends a notification to the client, with the client's ids and token. URIs of resources have the
/// form that the client used in its subscription. `listening` is the call's own subscription; null
/// if it has none. Takes the bytes of `received`.
void send_notification(const CallFrame& frame, const Subscription* listening,
                       ReceivedMessage& received, std::string_view token);

}  // namespace bartizan
