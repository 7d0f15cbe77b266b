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

/// Why a server's answer cannot be passed on, or nothing. A result of a type that the era does not
/// know, or a task that nobody takes, is no result; a member that is spelled like another may be
/// that one to the client, while something else was judged; what a server says of the gateway's
/// revision is about the gateway, not about the client's, which would otherwise leave the era.
/// Source: MCP 2026-07-28, basic/index, "Results"; CVE-2026-27896.
std::optional<std::string> validate_answer(const CallFrame& frame, const Message& answer);

/// How a call ended that got this answer.
Ending ending_of(const Message& answer);

/// An error of the protocol's own, which transports with statuses answer with one of theirs.
std::optional<ErrorCode> protocol_error(Era era, const Ending& ending);

/// Whether an answer is an error with that code.
bool has_code(const Message& answer, RpcCode code);

/// Whether callers learn of the errors of the call's server by their trust.
bool tells_errors_by_trust(const CallFrame& frame);

/// A server's JSON-RPC error as the client gets it: whole, or by the trust of the caller.
/// Input: a frame that speaks of that server. Lifetime: the bytes of `received` are moved from.
std::string told_error(const CallFrame& frame, ReceivedMessage& received);

/// Whether somebody who ignores the case of names would read another object.
bool has_ambiguous_member(JsonValue object, MemberPlace place);

/// Whether an answer could ask something of the client: few do.
bool brings_requests(const Message& answer);

/// Progress may put a call's end off, this many timeouts at most.
/// Source: MCP 2025-11-25, basic/lifecycle, "Timeouts": a maximum always applies.
inline constexpr int kTimeoutsMax = 10;

/// What was waited for in vain: any sign of life, or the end of a call that told of progress.
enum class Waited : std::uint8_t { for_answer, for_end };

/// How long the server of a call was waited for, and which key of the configuration says so: the
/// call's timeout, or that many of them where progress was told.
std::string told_timeout(const CallFrame& frame, std::chrono::milliseconds timeout, Waited waited);

/// Whether the record may have the words of an error: they are the gateway's own, whatever the
/// server said or sent.
bool is_own_sentence(const Error& error);

}  // namespace bartizan
