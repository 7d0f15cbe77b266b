#pragma once

#include <cstdint>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// What policy does with a message: what is left of it passes, or nothing of it may.
enum class RewriteOutcome : std::uint8_t { passes, withheld };

/// Whether texts that say what the structured content says do so afterwards, too.
enum class Copies : std::uint8_t { agree, differ };

/// The policy by which messages about a call are rewritten: a subscription outlives the one that it
/// began under.
const Policy& policy_of(const CallFrame& frame);

/// Who is sent what servers say about the call, as that policy knows the caller. Null where it does
/// not.
PrincipalPtr reader_of(const CallFrame& frame);

/// The part of a message that says something; the rest is the protocol's.
JsonValue payload_of(const Message& message);

/// Reads again what is left of a message, in its place. Withheld, which is on record, where it is
/// another message now: two names that are told apart by what was taken out may be one, and what
/// had a hidden name, one that means something. A text that said what the structured content says
/// is written anew from it, where the two are to agree.
RewriteOutcome read_again(CallFrame& frame, ReceivedMessage& received, std::string left,
                          Copies copies = Copies::agree);

}  // namespace bartizan
