#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/call_frame.h"
#include "gateway/call/rewrite_message.h"
#include "gateway/message/received_message.h"

namespace bartizan {

/// What redaction did with a message.
enum class RedactionStep : std::uint8_t {
  withheld,
  rewritten,
  unchanged,
  found_nothing,  ///< Nor an order to a model, which the same search looked for.
};

/// Takes out of a server's message about a call what no redaction lets pass. What is left is read
/// again. What was found is counted, and goes on the call's record. A step of `clean_message`.
///
/// Cost: a scan of its strings; a message in which nothing is found stays as it came.
RedactionStep redact_message(CallFrame& frame, const RedactionScope& scope,
                             ReceivedMessage& received);

/// A call without what policy does not let into its arguments; nothing where that is the call as
/// it is. What was found goes on the call's record; where a rule lets nothing of it pass, the frame
/// says so.
std::expected<std::optional<std::string>, Reason> redact_arguments(CallFrame& frame);

/// A message with such arguments, as `redact_arguments` would leave it; nothing where it would stay
/// as it is. Nothing goes on record. Input: `bytes`, which `arguments` was read from.
std::optional<std::string> redacted_copy(CallFrame& frame, JsonValue arguments,
                                         std::string_view bytes);

/// An entry of a list as its caller may see it; `tool` is empty for what is no tool. Nothing where
/// none of it may pass. What was found goes on the call's record.
std::optional<std::string> redact_definition(CallFrame& frame, std::string_view server,
                                             std::string_view tool, const std::string& json);

/// What servers say to those who use them, as its caller may see it. What was found goes on the
/// call's record.
std::string redact_instructions(CallFrame& frame, const std::string& text);

}  // namespace bartizan
