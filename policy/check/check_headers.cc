#include "policy/check/check_headers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "schemas/message/header_value.h"

namespace bartizan {
namespace {

using Header = std::optional<std::string_view>;

Decision mismatch() {
  return Decision::deny(Reason::header_mismatch);
}

bool is_checked(const Call& call) {
  return call.direction == Direction::client_to_server && call.era == Era::modern &&
         call.headers != nullptr && !call.message.is_answer();
}

/// The value in the body that `Mcp-Name` repeats; absent where the method has none.
JsonValue mirrored_name(const Message& message) {
  switch (message.known->id) {
    case MethodId::tools_call:
    case MethodId::prompts_get:
      return message.name;
    case MethodId::resources_read:
      return message.uri;
    case MethodId::tasks_get:
    case MethodId::tasks_result:
    case MethodId::tasks_update:
    case MethodId::tasks_cancel:
      return message.params.find("taskId");
    default:
      return {};
  }
}

/// Equal as they are: these two headers are never encoded.
bool repeats(const Header& header, std::string_view body, bool required) {
  return header ? *header == body : !required;
}

bool repeats_name(const Header& header, const Message& message) {
  const JsonValue name = mirrored_name(message);
  // A header beside a method that has no name says nothing about the body.
  if (!name) return true;
  if (!header) return !message.is_request();
  const std::optional<std::string> decoded = decode_header_value(*header);
  return decoded && name.is(JsonType::string) && *decoded == name.text();
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Field names are compared without regard to case. Source: RFC 9110 §5.1.
bool is_same_field(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

Header find_param(const MirroredHeaders& headers, std::string_view name) {
  for (const auto& [field, value] : headers.params) {
    if (is_same_field(field, name)) return value;
  }
  return std::nullopt;
}

/// The argument that a client sent, with either name of each member on the way to it.
JsonValue find_argument(JsonValue arguments, const MirroredArgument& mirrored) {
  if (mirrored.listed.empty()) return arguments.at_pointer(mirrored.pointer);
  // Both are equally deep.
  std::string_view listed = mirrored.listed;
  std::string_view sent = mirrored.pointer;
  JsonValue value = arguments;
  while (value && !sent.empty()) {
    const std::size_t listed_end = std::min(listed.find('/', 1), listed.size());
    const std::size_t sent_end = std::min(sent.find('/', 1), sent.size());
    const JsonValue found = value.at_pointer(listed.substr(0, listed_end));
    value = found ? found : value.at_pointer(sent.substr(0, sent_end));
    listed.remove_prefix(listed_end);
    sent.remove_prefix(sent_end);
  }
  return value;
}

bool repeats_argument(const MirroredHeaders& headers, const MirroredArgument& mirrored,
                      JsonValue arguments) {
  const Header header = find_param(headers, mirrored.header);
  const JsonValue value = find_argument(arguments, mirrored);
  if (!value || value.is(JsonType::null)) return !header;
  if (!header) return false;
  const std::optional<std::string> decoded = decode_header_value(*header);
  return decoded && header_equals(*decoded, value);
}

}  // namespace

Decision check_headers(const Call& call) {
  if (!is_checked(call)) return Decision::pass();
  const Message& message = call.message;
  const MirroredHeaders& headers = *call.headers;
  const bool required = message.is_request();
  const JsonValue version = message.meta.find(meta_key::protocol_version);
  // A notification may leave the version out of its body; a request that does has no valid form.
  const bool has_version = required || version;
  if (has_version && !repeats(headers.protocol_version, version.text(), required)) {
    return mismatch();
  }
  if (!repeats(headers.method, message.method, required)) return mismatch();
  if (!repeats_name(headers.name, message)) return mismatch();
  return Decision::pass();
}

Decision check_mirrored_arguments(const Call& call) {
  const bool is_tool_call = call.message.known->id == MethodId::tools_call;
  if (!is_checked(call) || !is_tool_call || call.facts.tool == nullptr) return Decision::pass();
  const JsonValue sent = call.sent_arguments.value_or(call.message.arguments);
  for (const MirroredArgument& mirrored : call.facts.tool->mirrored) {
    if (!repeats_argument(*call.headers, mirrored, sent)) {
      return Decision::deny(Reason::header_mismatch, nullptr, mirrored.pointer);
    }
  }
  return Decision::pass();
}

}  // namespace bartizan
