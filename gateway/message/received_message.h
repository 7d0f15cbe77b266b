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

/// The faults that were repaired before a message was read.
struct Mended {
  std::uint32_t surrogates = 0;   ///< Unpaired surrogates, from a server.
  std::uint32_t nulls = 0;        ///< Optional members that were `null`, from a client.
  std::uint32_t empty_lists = 0;  ///< Optional objects that were `[]`, from a client.
};

/// A message with the data of its handles: its bytes, its parser, and their memory. It moves whole
/// between workers and is parsed once.
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
  std::uint32_t part = 0;  ///< The share of a call to several servers that sent it.

  bool is_batch() const { return document != nullptr && document->root().is(JsonType::array); }
};

/// Why a text is not a valid MCP message, with its id if that could be read.
struct RefusedMessage {
  Error error;
  std::string id_json;     ///< Empty if there is none.
  bool is_answer = false;  ///< It names no method, so its id is one of the reader's own.
  /// Of an unreadable text of a server: the id that it seems to answer.
  std::string answer_id = {};
};
using Receipt = std::expected<ReceivedMessage, RefusedMessage>;

/// Reads the text of one message, or of a batch. `message` is empty for a batch, whose elements are
/// read with `receive_element`. In a server's text, read under `kResponseLimits`, unpaired
/// surrogates are replaced. In a client's text, `null` for optional members is removed if
/// `null_members` allows it.
///
/// Errors:  those of JsonDocument::read and parse_message; overloaded when the budget is exhausted.
Receipt receive_message(Loop& loop, MemoryBudget& memory, Bytes bytes, const JsonLimits& limits,
                        ClientConfig::NullMembers null_members = ClientConfig::NullMembers::refuse);

/// Whether a server's message reports a change of one of its lists. Such a message belongs to no
/// call, unless it names the subscription that requested it.
bool tells_of_changed_list(const Message& message);
bool names_subscription(const Message& message);

/// Reads one element of a batch as a separate message.
Receipt receive_element(Loop& loop, JsonValue element, ClientConfig::NullMembers null_members);

}  // namespace bartizan
