#pragma once

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/message/received_message.h"

namespace bartizan {

// Steps of `clean_message`.

/// Takes out of a server's message about a call what nobody sees and what does something where it
/// is shown, as policy has it. What is left is read again. What was found is counted, and goes on
/// the call's record.
///
/// Cost: one pass over its strings; a message in which nothing is found stays as it came.
RewriteOutcome sanitise_message(CallFrame& frame, const RedactionScope& scope,
                                ReceivedMessage& received);

/// Looks for text that gives orders in a message about a call, and does with it what policy has.
///
/// Cost: one search for rare words.
RewriteOutcome screen_message(CallFrame& frame, const RedactionScope& scope,
                              ReceivedMessage& received);

/// Counts what was mended of a message before anything looked at it, and notes it for the record.
void note_mended(CallFrame& frame, Carrier carrier, const Mended& mended);

}  // namespace bartizan
