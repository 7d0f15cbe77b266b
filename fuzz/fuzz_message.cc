#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "schemas/message/message.h"
#include "schemas/message/tool_definition.h"

/// Whatever parse_message accepts keeps the promises of its header, and reading a tool definition
/// out of anything at all ends in an answer.

namespace {

using namespace bartizan;

void check_kind(const Message& message) {
  require(message.known != nullptr && message.root.is(JsonType::object));
  require(message.root.find("jsonrpc").text() == "2.0");
  require(message.is_answer() == message.method.empty());
  require(!message.is_notification() || !message.id);
  require(!message.is_request() || message.id);
  require((message.kind == MessageKind::response) == static_cast<bool>(message.result));
  require((message.kind == MessageKind::error_response) == static_cast<bool>(message.error));
}

void check_types(const Message& message) {
  const auto is = [](JsonValue value, JsonType type) { return !value || value.is(type); };
  require(is(message.params, JsonType::object) && is(message.arguments, JsonType::object));
  require(is(message.name, JsonType::string) && is(message.uri, JsonType::string));
  require(is(message.meta, JsonType::object) && is(message.cursor, JsonType::string));
  require(is(message.id, JsonType::string) || is(message.id, JsonType::number));
  require(message.known->target != TargetKind::tool || !message.name.text().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(std::string_view(reinterpret_cast<const char*>(data), size));
  JsonDocument document;
  const Result<JsonValue> root = document.read(bytes, kResponseLimits);
  if (!root) return 0;
  const Result<Message> message = parse_message(*root);
  if (message) {
    check_kind(*message);
    check_types(*message);
  }
  const Result<ToolDefinition> tool = read_tool_definition(*root);
  if (tool) require(tool->name_range.of(tool->raw).size() >= tool->name.size() + 2);
  return 0;
}
