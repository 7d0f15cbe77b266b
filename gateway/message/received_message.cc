#include "gateway/message/received_message.h"

#include <string_view>

#include "schemas/base/limits.h"
#include "schemas/json/lone_surrogates.h"
#include "schemas/message/answer_id.h"
#include "schemas/message/null_members.h"
#include "schemas/message/protocol_version.h"

namespace bartizan {
namespace {

std::unexpected<RefusedMessage> refuse(Error error, JsonValue value = {}) {
  const JsonValue id = readable_id(value);
  return std::unexpected(RefusedMessage{.error = std::move(error),
                                        .id_json = std::string(id.raw()),
                                        .is_answer = id && !value.find("method")});
}

/// A method that the modern revision does not have is unknown there, whatever its params are.
/// Source: MCP 2026-07-28, streamable-http: 404 with −32601 for it.
bool is_removed_method(JsonValue root) {
  const JsonValue claim = root.find("params").find("_meta").find(meta_key::protocol_version);
  const auto version = parse_protocol_version(claim.text());
  if (!version.has_value() || era(*version) == Era::legacy) return false;
  return !is_supported(find_method(root.find("method").text()), *version,
                       Direction::client_to_server);
}

/// Refuses a message for one of its numbers. All else of it is JSON, if it can be read with numbers
/// as text, and then has an id to be answered under.
std::unexpected<RefusedMessage> refuse_number(ReceivedMessage& received, const Error& error,
                                              JsonLimits limits) {
  limits.numbers = JsonLimits::Numbers::keep_as_text;
  const Result<JsonValue> root = received.document->read(received.bytes, limits);
  return refuse(error, root.value_or(JsonValue()));
}

using NullMembers = ClientConfig::NullMembers;

/// Only what servers send is read with numbers as text.
bool is_of_server(const JsonLimits& limits) {
  return limits.numbers == JsonLimits::Numbers::keep_as_text;
}

/// Reads the text of a message, repaired if needed.
Result<JsonValue> read_text(ReceivedMessage& received, const JsonLimits& limits,
                            NullMembers null_members) {
  const auto read = [&] { return received.document->read(received.bytes, limits); };
  Result<JsonValue> root = read();
  if (!root.has_value() && root.error().code == ErrorCode::json_encoding && is_of_server(limits)) {
    const std::size_t replaced = replace_lone_surrogates(received.bytes);
    received.mended.surrogates = static_cast<std::uint32_t>(replaced);
    if (replaced > 0) return read();
  }
  if (!root.has_value() || null_members == NullMembers::refuse) return root;
  std::optional<WithoutNulls> left = without_null_members(*root);
  if (!left.has_value()) return root;
  received.mended.nulls = left->nulls;
  received.mended.empty_lists = left->empty_lists;
  received.bytes = Bytes(std::move(left->text));
  return read();
}

/// Reads `received.bytes` in place; a batch is read, its elements are not.
Receipt read(Loop& loop, ReceivedMessage&& received, const JsonLimits& limits,
             NullMembers null_members) {
  received.document = loop.lease_document();
  const Result<JsonValue> root = read_text(received, limits, null_members);
  if (!root.has_value()) {
    const bool is_response = is_of_server(limits);
    if (!is_response && root.error().code == ErrorCode::json_number) {
      return refuse_number(received, root.error(), limits);
    }
    auto refused = refuse(root.error());
    if (is_response) refused.error().answer_id = find_answer_id(received.bytes.view());
    return refused;
  }
  if (root->is(JsonType::array)) return std::move(received);
  const Result<Message> message = parse_message(*root);
  if (!message.has_value()) {
    Error error = message.error();
    const bool about_params = error.code == ErrorCode::invalid_params;
    if (about_params && is_removed_method(*root)) error.code = ErrorCode::method_not_found;
    return refuse(std::move(error), *root);
  }
  received.message = *message;
  return std::move(received);
}

}  // namespace

Receipt receive_message(Loop& loop, MemoryBudget& memory, Bytes bytes, const JsonLimits& limits,
                        NullMembers null_members) {
  ReceivedMessage received;
  if (!hold(memory, received.memory, bytes.size())) {
    return refuse({ErrorCode::overloaded, Fault::gateway, "the memory budget is exhausted"});
  }
  received.bytes = std::move(bytes);
  return read(loop, std::move(received), limits, null_members);
}

Receipt receive_element(Loop& loop, JsonValue element, NullMembers null_members) {
  ReceivedMessage received;
  received.bytes.assign(element.raw());
  Receipt receipt = read(loop, std::move(received), {}, null_members);
  if (receipt.has_value() && receipt->is_batch()) {
    return refuse({ErrorCode::invalid_request, Fault::client, "a batch within a batch"});
  }
  return receipt;
}

bool tells_of_changed_list(const Message& message) {
  if (!message.is_notification()) return false;
  const MethodId method = message.known->id;
  return method == MethodId::notifications_tools_list_changed ||
         method == MethodId::notifications_prompts_list_changed ||
         method == MethodId::notifications_resources_list_changed;
}

bool names_subscription(const Message& message) {
  return static_cast<bool>(message.meta.find(meta_key::subscription_id));
}

}  // namespace bartizan
