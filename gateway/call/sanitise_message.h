#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/call/redact_message.h"

namespace bartizan {

/// Takes out of a server's message about a call what nobody sees and what does something where it
/// is shown, as policy has it: before anything else looks into it, so that a secret in pieces is
/// one again. What is left is read again. What was found is counted, and goes on the call's record.
///
/// Input: `said` is what the message says, and ends with the message.
/// Cost:  one pass over its strings; a message in which nothing is found stays as it came.
Passage sanitise_message(CallFrame& frame, const RedactionScope& scope, JsonValue said,
                         ReceivedMessage& received);

/// Looks for text that gives orders in a message about a call, and does with it what policy has.
/// Behind redaction: a warning between two texts must not hide what they are together.
///
/// Cost: one search for rare words.
Passage screen_message(CallFrame& frame, const RedactionScope& scope, ReceivedMessage& received);

/// The same as `sanitise_message` for a JSON text that belongs to no call, in which `member` of the
/// root says something, or all of it does. What was found is counted.
Sanitisation sanitise_json(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view json,
                           std::string_view member);

/// The same for a text that is no JSON.
Sanitisation sanitise_text(Worker& worker, const SanitisingRules& rules,
                           const RedactionScope& scope, std::string_view said);

}  // namespace bartizan
