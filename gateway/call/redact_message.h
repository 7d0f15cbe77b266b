#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/encode_record.h"
#include "gateway/call/call_frame.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// What policy does with a message: what is left of it passes, or nothing of it may.
enum class Passage : std::uint8_t { passes, withheld };

/// Takes out of a server's message about a call what policy does not let pass, before anything
/// else looks into it: what is left is read again, and is what checks judge and clients get. What
/// was found is counted, and goes on the call's record.
///
/// Cost: a scan of its strings; a message in which nothing is found stays as it came.
///
/// Input: `before`, what a message goes on with: the `last_words` of notifications that the same
///        server sent about the call, and that were passed on. See `SpokenWords`.
Passage redact_message(CallFrame& frame, ReceivedMessage& received,
                       const std::vector<std::string_view>& before = {});

/// A call without what policy does not let into its arguments; nothing where that is the call as
/// it is. What was found goes on the call's record; where a rule lets nothing of it pass, the frame
/// says so.
std::expected<std::optional<std::string>, Reason> redact_arguments(CallFrame& frame);

/// The policy by which messages about a call are rewritten: a subscription outlives the one that it
/// began under.
const Policy& policy_of(const CallFrame& frame);

/// What is longer for what was put into it is still no larger than a message may be.
inline constexpr JsonLimits kRewrittenLimits{
    .bytes_max = limits::response_bytes_max + (std::size_t{1} << 20),
    .values_max = limits::response_values_max,
    .numbers = JsonLimits::Numbers::keep_as_text};

/// Whether texts that say what the structured content says do so afterwards, too.
enum class Copies : std::uint8_t { agree, differ };

/// Reads again what is left of a message, in its place. Withheld, which is on record, where it is
/// another message now: two names that are told apart by what was taken out may be one, and what
/// had a hidden name, one that means something. A text that said what the structured content says
/// is written anew from it, where the two are to agree.
Passage read_again(CallFrame& frame, ReceivedMessage& received, std::string left,
                   Copies copies = Copies::agree);

/// The part of a message that says something; the rest is the protocol's.
JsonValue said_in(const Message& message);

/// Counts what was found.
void count_redacted(Worker& worker, Carrier carrier, const Redacted& redacted);

/// As `redact_message`, for the text of a message that belongs to no call, as a session of that
/// principal gets it; nothing where none of it may pass.
std::optional<std::string> redact_event(Worker& worker, const Principal& principal,
                                        std::string_view server, const std::string& message);

/// Whether anything is found in the text of a message, whatever rules say.
bool is_suspect(Worker& worker, const std::string& message);

/// The same for an entry of a list; `tool` is empty for what is no tool. What was found goes on the
/// call's record.
std::optional<std::string> redact_definition(CallFrame& frame, std::string_view server,
                                             std::string_view tool, const std::string& json);

/// The same for what servers say to those who use them.
std::string redact_instructions(CallFrame& frame, const std::string& text);

/// The same for a line that is about to be logged.
std::string redact_line(Worker& worker, std::string_view server, std::string_view line);

/// A record without what its rules take out of the texts that strangers wrote: names, URIs, what
/// clients say of themselves.
EncodedRecord encode_redacted(Worker& worker, const Record& record);

}  // namespace bartizan
