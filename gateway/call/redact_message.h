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

/// The result of redaction for a message.
enum class RedactionStep : std::uint8_t {
  withheld,
  rewritten,
  unchanged,
  found_nothing,  ///< No secret, and no order to a model, which the same search finds.
};

/// Redacts a server's message about a call. The redacted message is parsed again. Findings are
/// counted and recorded with the call. A step of `clean_message`.
///
/// Cost: a scan of its strings; a message in which nothing is found stays as it came.
RedactionStep redact_message(CallFrame& frame, const RedactionScope& scope,
                             ReceivedMessage& received);

/// A call with redacted arguments; nothing if they stay unchanged. Findings are recorded with the
/// call. If a rule withholds the arguments, the frame notes it.
std::expected<std::optional<std::string>, Reason> redact_arguments(CallFrame& frame);

/// A message with redacted arguments, as `redact_arguments` makes it, but without a record; nothing
/// if it stays unchanged. Input: `bytes`, from which `arguments` was parsed.
std::optional<std::string> redacted_copy(CallFrame& frame, JsonValue arguments,
                                         std::string_view bytes);

/// An entry of a list as its caller may see it; `tool` is empty for other entries. Nothing if it is
/// withheld. Findings are recorded with the call.
std::optional<std::string> redact_definition(CallFrame& frame, std::string_view server,
                                             std::string_view tool, const std::string& json);

/// The instructions of servers, as their caller may see them. Findings are recorded with the call.
std::string redact_instructions(CallFrame& frame, const std::string& text);

/// What is left of a server's `serverInfo`, a JSON object; nothing where none of it may pass.
std::optional<std::string> redact_identity(CallFrame& frame, const std::string& json);

}  // namespace bartizan
