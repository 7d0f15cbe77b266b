#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "schemas/base/error_code.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_member.h"

namespace bartizan {

/// Why a server's response cannot be passed on, or nothing. The era may not have the type of the
/// result, or the client accepts no task. A member may be spelled like another one, so the client
/// would read something that was not judged. An error about the gateway's revision is not about the
/// client's, and would make the client leave its era.
/// Source: MCP 2026-07-28, basic/index, "Results"; CVE-2026-27896.
std::optional<std::string> validate_answer(const CallFrame& frame, const Message& answer);

/// The ending of a call with this response.
Ending ending_of(const Message& answer);

/// An error of the protocol itself, for which HTTP has a status.
std::optional<ErrorCode> protocol_error(Era era, const Ending& ending);

/// Whether a response is an error with that code.
bool has_code(const Message& answer, RpcCode code);

/// Whether trust decides how much callers see of the server's errors.
bool tells_errors_by_trust(const CallFrame& frame);

/// A server's JSON-RPC error as the client gets it: whole, or by the trust of the caller. Input: a
/// frame that is set to that server. Lifetime: the bytes of `received` are moved from.
std::string told_error(const CallFrame& frame, ReceivedMessage& received);

/// Whether a parser that ignores the case of names would read another object.
bool has_ambiguous_member(JsonValue object, MemberPlace place);

/// Whether a response may contain requests to the client. Few do.
bool brings_requests(const Message& answer);

/// Progress extends a call, up to this many timeouts.
/// Source: MCP 2025-11-25, basic/lifecycle, "Timeouts": a maximum always applies.
inline constexpr int kTimeoutsMax = 10;

/// What did not arrive in time: any message, or the end of a call with progress.
enum class Waited : std::uint8_t { for_answer, for_end };

/// The time that a call waited for its server, and the configuration key that sets it: the timeout
/// of the call, or that many of them with progress.
std::string told_timeout(const CallFrame& frame, std::chrono::milliseconds timeout, Waited waited);

/// Whether the record may have the text of an error: it is the gateway's own text, not the
/// server's.
bool is_own_sentence(const Error& error);

}  // namespace bartizan
