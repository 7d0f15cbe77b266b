#pragma once

#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// Cleans a server's message about a call, before anything else reads it: sanitise, redact, check
/// again, screen. The cleaned message is parsed again. Checks and clients get only that. Findings
/// are counted and recorded with the call.
///
/// Cost: a scan of its strings; a message in which nothing is found stays as it came.
///
/// Input: `before`, the text that the message may continue: the `last_words` of the server's
///        earlier notifications about the call. See `SpokenWords`.
RewriteOutcome clean_message(CallFrame& frame, ReceivedMessage& received,
                             const std::vector<std::string_view>& before = {});

}  // namespace bartizan
