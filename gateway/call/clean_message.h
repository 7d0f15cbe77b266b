#pragma once

#include <string_view>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// Takes out of a server's message about a call what policy does not let pass, before anything else
/// looks into it: sanitise, redact, check again, screen. What is left is read again, and is what
/// checks judge and clients get. What was found is counted, and goes on the call's record.
///
/// Cost: a scan of its strings; a message in which nothing is found stays as it came.
///
/// Input: `before`, what a message goes on with: the `last_words` of notifications that the same
///        server sent about the call, and that were passed on. See `SpokenWords`.
RewriteOutcome clean_message(CallFrame& frame, ReceivedMessage& received,
                             const std::vector<std::string_view>& before = {});

}  // namespace bartizan
