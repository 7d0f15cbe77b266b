#pragma once

#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/message/exchange.h"

namespace bartizan {

/// Whether the client may learn of a notification that came during its call. `token` is the
/// client's for progress, and empty where it gave none.
bool may_pass(const CallFrame& frame, const Message& notification, std::string_view token);

/// What it is about, for whoever comes back for it later.
Subject subject_of(const CallFrame& frame, const Message& notification);

}  // namespace bartizan
