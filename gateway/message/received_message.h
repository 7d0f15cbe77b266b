#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "config/client_config.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/memory_budget.h"
#include "schemas/json/json.h"
#include "schemas/message/message.h"

namespace bartizan {

/// What was not as it should be, and was mended before anything looked at the message.
struct Mended {
  std::uint32_t surrogates = 0;   ///< Halves of characters, from a server.
  std::uint32_t nulls = 0;        ///< Optional members that were `null`, from a client, …
  std::uint32_t empty_lists = 0;  ///< … and that were `[]` for an object.
};

/// A message with all that its handles look into: its bytes, its parser, and the memory they take.
/// Moved whole from worker to worker; parsed once.
class ReceivedMessage {
 public:
  ReceivedMessage() = default;
  ReceivedMessage(ReceivedMessage&&) noexcept = default;
  ReceivedMessage& operator=(ReceivedMessage&&) noexcept = default;

  Bytes bytes;
  Message message;
  std::unique_ptr<JsonDocument> document;
  MemoryBudget::Reservation memory;
  Mended mended;
  std::uint32_t part = 0;  ///< Of a call to several servers: which of them sent it.

  bool is_batch() const { return document != nullptr && document->root().is(JsonType::array); }
};

/// Why a text is no message that MCP allows, and the id to answer under where it could be read.
struct RefusedMessage {
  Error error;
  std::string id_json;     ///< Empty when there is none.
  bool is_answer = false;  ///< It names no method, so that its id is one of the reader's own.
  /// Of a server's text that could not be read at all: the id that it seems to answer.
  std::string answer_id = {};
};
using Receipt = std::expected<ReceivedMessage, RefusedMessage>;

/// Reads the text of one message, or of a batch, whose elements are then read one by one with
/// `receive_element`; `message` is left empty for a batch. In the text of a server, read under
/// `kResponseLimits`, halves of characters are replaced; in that of a client, `null` for optional
/// members is taken out where `null_members` says so.
///
/// Errors:  those of JsonDocument::read and parse_message; overloaded when the budget is exhausted.
Receipt receive_message(Loop& loop, MemoryBudget& memory, Bytes bytes, const JsonLimits& limits,
                        ClientConfig::NullMembers null_members = ClientConfig::NullMembers::refuse);

/// Whether a server says with it that one of its lists changed. Such a message is about no call,
/// whichever call it comes during, unless it names the subscription that asked for it.
bool tells_of_changed_list(const Message& message);
bool names_subscription(const Message& message);

/// One element of a batch as a message of its own.
Receipt receive_element(Loop& loop, JsonValue element, ClientConfig::NullMembers null_members);

}  // namespace bartizan
