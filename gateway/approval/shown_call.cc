#include "gateway/approval/shown_call.h"

#include <cstddef>
#include <string_view>

#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {
namespace {

std::string_view raw_or_empty(JsonValue value) {
  return value ? value.raw() : std::string_view("{}");
}

/// Appends a tool's description, as its server lists it.
void append_tool(std::string& json, const ToolDefinition& tool) {
  const Bytes bytes(tool.raw);
  JsonDocument document;
  const JsonValue entry = document.read(bytes, kResponseLimits).value_or(JsonValue());
  json += R"(,"tool":{"name":)";
  append_json_string(json, tool.own_name.empty() ? tool.name : tool.own_name);
  for (const std::string_view member : {"title", "description"}) {
    const JsonValue value = entry.find(member);
    if (!value.is(JsonType::string)) continue;
    json += ",\"" + std::string(member) + "\":" + std::string(value.raw());
  }
  json += '}';
}

/// Appends how the gateway reads the arguments.
void append_readings(std::string& json, const std::vector<ArgumentReading>& readings) {
  json += R"(,"readings":[)";
  for (const ArgumentReading& one : readings) {
    if (json.back() != '[') json += ',';
    json += R"({"pointer":)";
    append_json_string(json, one.pointer);
    json += R"(,"kind":")" + std::string(one.kind) + R"(","reading":)";
    append_json_string(json, one.reading);
    json += '}';
  }
  json += ']';
}

/// The parameters for the server, as far as people may see them.
std::string shown_params(const ShownCall& call) {
  const JsonValue params = call.judged.params;
  std::string text(raw_or_empty(params));
  const JsonValue arguments = call.judged.arguments;
  if (!call.has_secrets || !arguments) return text;
  const std::size_t at = arguments.range().begin - params.range().begin;
  return text.replace(at, arguments.range().size(), raw_or_empty(call.shown_arguments));
}

}  // namespace

std::optional<std::string> shown_call(const ShownCall& call) {
  const std::string_view sent = raw_or_empty(call.message.params);
  const std::string leaves = shown_params(call);
  std::string json = R"({"params":)" + std::string(sent);
  if (sent != leaves) json += R"(,"sent_as":)" + leaves;
  const bool is_changed = sent != raw_or_empty(call.judged.params);
  if (is_changed && call.has_secrets) json += R"(,"has_secrets":true)";
  if (call.tool != nullptr) append_tool(json, *call.tool);
  if (!call.history.empty()) {
    json += R"(,"history":[)";
    for (const std::string& line : call.history) {
      if (json.back() != '[') json += ',';
      append_json_string(json, line);
    }
    json += ']';
  }
  if (!call.readings.empty()) append_readings(json, call.readings);
  json += '}';
  if (json.size() > limits::shown_call_bytes_max) return std::nullopt;
  return json;
}

}  // namespace bartizan
