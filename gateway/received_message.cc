#include "gateway/received_message.h"

#include <string_view>

#include "schemas/limits.h"

namespace bartizan {
namespace {

std::unexpected<RefusedMessage> refuse(Error error, JsonValue value = {}) {
  const JsonValue id = readable_id(value);
  return std::unexpected(RefusedMessage{std::move(error), std::string(id.raw())});
}

/// Reads `received.bytes` in place; a batch is read, its elements are not.
Receipt read(Loop& loop, ReceivedMessage received, const JsonLimits& limits) {
  received.document = loop.lease_document();
  const Result<JsonValue> root = received.document->read(received.bytes, limits);
  if (!root.has_value()) return refuse(root.error());
  if (root->is(JsonType::array)) return received;
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) return refuse(message.error(), *root);
  received.message = *message;
  return received;
}

}  // namespace

Receipt receive_message(Loop& loop, MemoryBudget& memory, Bytes bytes, const JsonLimits& limits) {
  ReceivedMessage received;
  if (bytes.size() > limits::unbudgeted_bytes_max) {
    auto reservation = memory.reserve(bytes.size());
    if (!reservation.has_value()) {
      return refuse({ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted"});
    }
    received.memory = std::move(*reservation);
  }
  received.bytes = std::move(bytes);
  return read(loop, std::move(received), limits);
}

Receipt receive_element(Loop& loop, JsonValue element) {
  ReceivedMessage received;
  received.bytes.assign(element.raw());
  Receipt receipt = read(loop, std::move(received), {});
  if (receipt.has_value() && receipt->is_batch()) {
    return refuse({ErrorCode::invalid_request, Fault::client, "a batch within a batch"});
  }
  return receipt;
}

}  // namespace bartizan
