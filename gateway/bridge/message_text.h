#pragma once

#include <string_view>

#include "schemas/base/limits.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The text of one message with what was read out of it. A text that is none has an empty message.
/// Lifetime: `message` looks into the object, which stays where it is.
/// Cost:     one copy of the text, and one reading.
struct MessageText {
  explicit MessageText(std::string_view text) : bytes(text) {
    const Result<JsonValue> root = document.read(bytes, kResponseLimits);
    const Result<Message> read =
        root.has_value() ? parse_message(*root) : std::unexpected(root.error());
    if (read.has_value()) message = *read;
  }
  MessageText(const MessageText&) = delete;
  MessageText& operator=(const MessageText&) = delete;
  ~MessageText() = default;

  const Bytes bytes;
  JsonDocument document;
  Message message;
};

}  // namespace bartizan
