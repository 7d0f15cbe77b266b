#pragma once

#include <cstdint>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// The result of a rewrite: the rewritten message passes, or it is withheld.
enum class RewriteOutcome : std::uint8_t { passes, withheld };

/// Whether texts that repeat the structured content are updated with it.
enum class Copies : std::uint8_t { agree, differ };

/// The policy that rewrites messages about a call. A subscription outlives the policy under which
/// it began.
const Policy& policy_of(const CallFrame& frame);

/// The receiver of messages about the call, as that policy knows the caller. Null if it does not.
PrincipalPtr reader_of(const CallFrame& frame);

/// The part of a message with contents; the rest belongs to the protocol.
JsonValue payload_of(const Message& message);

/// Parses the rewritten message again, in its place. It is withheld, on record, if its meaning
/// changed: two names may have become equal, or a hidden name may now be a known one. A text that
/// repeated the structured content is written again from it, if the two must agree.
RewriteOutcome read_again(CallFrame& frame, ReceivedMessage& received, std::string left,
                          Copies copies = Copies::agree);

}  // namespace bartizan
