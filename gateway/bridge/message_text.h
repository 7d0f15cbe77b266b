#pragma once

#include <string_view>

#include "schemas/base/limits.h"
#include "schemas/message/message.h"

namespace bartizan {

/// The text of one message, parsed. A text that is not a message gives an empty one.
/// Lifetime: `message` refers into this object, which must not move.
/// Cost:     one copy of the text, and one parse.
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
