#pragma once

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/message/received_message.h"

namespace bartizan {

// Steps of `clean_message`.

/// Sanitises a server's message about a call: hidden text and active markup, as policy says. The
/// result is parsed again. Findings are counted and recorded with the call.
///
/// Cost: one pass over its strings; a message in which nothing is found stays as it came.
RewriteOutcome sanitise_message(CallFrame& frame, const RedactionScope& scope,
                                ReceivedMessage& received);

/// Screens a message about a call for text that gives orders, and does what policy says.
///
/// Cost: one search for rare words.
RewriteOutcome screen_message(CallFrame& frame, const RedactionScope& scope,
                              ReceivedMessage& received);

/// Counts the repairs of a message when it was parsed, and notes them for the record.
void note_mended(CallFrame& frame, Carrier carrier, const Mended& mended);

}  // namespace bartizan
