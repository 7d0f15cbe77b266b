#pragma once

#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/subscription.h"
#include "gateway/message/exchange.h"
#include "schemas/message/splice.h"

namespace bartizan {

/// Whether the client may learn of a notification that came during its call. `token` is the
/// client's for progress, and empty where it gave none.
bool may_pass(const CallFrame& frame, const Message& notification, std::string_view token);

/// Sends a notification on to the client: with the client's ids and token, and with URIs of
/// resources in the form by which the client named them when it subscribed. `listening` is the
/// call's own subscription, null where it is none. Takes the bytes of `received`.
void send_notification(const CallFrame& frame, const Subscription* listening,
                       ReceivedMessage& received, std::string_view token);

}  // namespace bartizan
