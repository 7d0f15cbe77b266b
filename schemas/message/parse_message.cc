#include <algorithm>
#include <array>
#include <string>

#include "schemas/base/limits.h"
#include "schemas/json/json_text.h"
#include "schemas/message/message.h"
#include "schemas/message/protocol_member.h"

namespace bartizan {
namespace {

std::unexpected<Error> invalid_request(std::string detail) {
  return fail(ErrorCode::invalid_request, Fault::client, std::move(detail));
}

std::unexpected<Error> invalid_params(std::string detail) {
  return fail(ErrorCode::invalid_params, Fault::client, std::move(detail));
}

std::unexpected<Error> ambiguous(JsonValue member) {
  return fail(ErrorCode::ambiguous_member, Fault::client,
              "a member differs from a protocol member by letter case only",
              static_cast<std::int64_t>(member.key_range().begin));
}

/// Some readers take `1e2` and `1.0` for integers, but all have other texts for them than for `100`
/// and `1`. So an id may not be spelled like that.
bool is_plain_integer(JsonValue value) {
  return value.is(JsonType::number) && value.raw().find_first_of(".eE") == std::string_view::npos;
}

/// An id or a progress token: a string or an integer of bounded length.
bool is_id(JsonValue value) {
  const std::size_t size = value.raw().size();
  if (value.is(JsonType::string)) return size <= limits::id_bytes_max + 2;  // With its quotes.
  return is_plain_integer(value) && size <= limits::id_bytes_max;
}

/// The id of a response. Official clients compare numbers, so that `3.0` answers `3`.
bool is_answer_id(JsonValue value) {
  const bool is_short = value.raw().size() <= limits::id_bytes_max;
  return is_id(value) || (value.is(JsonType::number) && is_short);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= limits::name_bytes_max && !has_control_character(text);
}

bool is_uri(std::string_view text) {
  return !text.empty() && text.size() <= limits::uri_bytes_max && !has_control_character(text);
}

/// The envelope's members, found in one pass.
struct Envelope {
  JsonValue jsonrpc, id, method, params, result, error;
  JsonValue other;  ///< The first member that JSON-RPC does not have.
};

Result<Envelope> read_envelope(JsonValue value) {
  Envelope envelope;
  for (const JsonValue member : value) {
    const std::string_view key = member.key();
    if (key == "jsonrpc") {
      envelope.jsonrpc = member;
    } else if (key == "id") {
      envelope.id = member;
    } else if (key == "method") {
      envelope.method = member;
    } else if (key == "params") {
      envelope.params = member;
    } else if (key == "result") {
      envelope.result = member;
    } else if (key == "error") {
      envelope.error = member;
    } else if (is_ambiguous_member(key, MemberPlace::envelope)) {
      return ambiguous(member);
    } else if (!envelope.other) {
      envelope.other = member;
    }
  }
  return envelope;
}

/// The members of `params` that policy reads, of any type, found in one pass.
struct Params {
  JsonValue name, uri, arguments, meta, cursor, request_id, progress_token;
};

Result<Params> read_params(JsonValue value) {
  Params params;
  for (const JsonValue member : value) {
    const std::string_view key = member.key();
    if (key == "name") {
      params.name = member;
    } else if (key == "arguments") {
      params.arguments = member;
    } else if (key == "_meta") {
      params.meta = member;
    } else if (key == "uri") {
      params.uri = member;
    } else if (key == "cursor") {
      params.cursor = member;
    } else if (key == "requestId") {
      params.request_id = member;
    } else if (key == "progressToken") {
      params.progress_token = member;
    } else if (is_ambiguous_member(key, MemberPlace::params)) {
      return ambiguous(member);
    }
  }
  return params;
}

Result<void> check_meta(JsonValue meta) {
  for (const JsonValue member : meta) {
    if (is_ambiguous_member(member.key(), MemberPlace::meta)) return ambiguous(member);
  }
  return {};
}

bool is_list(MethodId id) {
  constexpr std::array kLists{
      MethodId::tools_list,   MethodId::resources_list, MethodId::resources_templates_list,
      MethodId::prompts_list, MethodId::skills_list,    MethodId::tasks_list};
  return std::ranges::find(kLists, id) != kLists.end();
}

Result<void> take_target(Message& message, const Params& params) {
  const TargetKind target = message.known->target;
  const bool is_named = target == TargetKind::tool || target == TargetKind::prompt;
  if (is_named) {
    if (!is_name(params.name.text())) return invalid_params("no usable params.name");
    if (params.arguments && !params.arguments.is(JsonType::object)) {
      return invalid_params("params.arguments is not an object");
    }
  }
  const bool needs_uri = target == TargetKind::resource ||
                         message.known->id == MethodId::notifications_resources_updated;
  if (needs_uri && !is_uri(params.uri.text())) return invalid_params("no usable params.uri");
  if (params.name.is(JsonType::string)) message.name = params.name;
  if (params.uri.is(JsonType::string)) message.uri = params.uri;
  if (params.arguments.is(JsonType::object)) message.arguments = params.arguments;
  return {};
}

Result<void> take_cursor(Message& message, const Params& params) {
  if (!params.cursor) return {};
  const bool is_usable =
      params.cursor.is(JsonType::string) && params.cursor.text().size() <= limits::cursor_bytes_max;
  if (is_usable) message.cursor = params.cursor;
  if (!is_usable && is_list(message.known->id)) return invalid_params("no usable params.cursor");
  return {};
}

Result<void> take_ids(Message& message, const Params& params) {
  const MethodId id = message.known->id;
  if (id == MethodId::notifications_cancelled && params.request_id) {
    if (!is_id(params.request_id)) return invalid_params("no usable params.requestId");
    message.request_id = params.request_id;
  }
  if (id == MethodId::notifications_progress) {
    if (!is_id(params.progress_token)) return invalid_params("no usable params.progressToken");
    message.progress_token = params.progress_token;
  }
  return {};
}

Result<void> take_meta(Message& message, JsonValue meta) {
  // Some servers' libraries write absent members as null, which is accepted.
  const bool is_absent = !meta || (message.is_answer() && meta.is(JsonType::null));
  if (is_absent) return {};
  if (!meta.is(JsonType::object)) return invalid_params("_meta is not an object");
  if (Result<void> checked = check_meta(meta); !checked) return checked;
  message.meta = meta;
  if (!message.is_request()) return {};
  const JsonValue token = meta.find(meta_key::progress_token);
  if (token && !is_id(token)) return invalid_params("no usable progress token");
  message.progress_token = token;
  return {};
}

/// Reads members of `params`, in the order in which a reader of the error expects them.
Result<void> take_params(Message& message) {
  if (message.params && !message.params.is(JsonType::object)) {
    return invalid_params("params is not an object");
  }
  const Result<Params> params = read_params(message.params);
  if (!params) return std::unexpected(params.error());
  for (const auto take : {take_target, take_cursor, take_ids}) {
    if (Result<void> taken = take(message, *params); !taken) return taken;
  }
  return take_meta(message, params->meta);
}

Result<void> take_call(Message& message, const Envelope& envelope) {
  if (envelope.result || envelope.error) return invalid_request("both a request and an answer");
  if (envelope.other) return invalid_request("a member that JSON-RPC does not have");
  message.method = envelope.method.text();
  if (!is_name(message.method)) return invalid_request("no usable method");
  if (envelope.id && !is_id(envelope.id)) return invalid_request("no usable id");
  message.kind = envelope.id ? MessageKind::request : MessageKind::notification;
  message.id = envelope.id;
  message.known = &find_method(message.method);
  if (message.known->id != MethodId::unknown &&
      message.known->is_notification != message.is_notification()) {
    return invalid_request(envelope.id ? "a notification with an id" : "a request without an id");
  }
  message.params = envelope.params;
  return take_params(message);
}

Result<void> take_error(Message& message, const Envelope& envelope) {
  message.kind = MessageKind::error_response;
  message.error = envelope.error;
  const bool is_complete = is_plain_integer(envelope.error.find("code")) &&
                           envelope.error.find("message").is(JsonType::string);
  if (!is_complete) return invalid_request("an error without code or message");
  if (!envelope.id || envelope.id.is(JsonType::null)) return {};
  if (!is_answer_id(envelope.id)) return invalid_request("no usable id");
  message.id = envelope.id;
  return {};
}

Result<void> take_answer(Message& message, const Envelope& envelope) {
  if (static_cast<bool>(envelope.result) == static_cast<bool>(envelope.error)) {
    return invalid_request("neither a request nor an answer");
  }
  message.known = &find_method(MethodId::unknown);
  if (envelope.error) return take_error(message, envelope);
  message.kind = MessageKind::response;
  if (!envelope.id || !is_answer_id(envelope.id)) return invalid_request("no usable id");
  if (!envelope.result.is(JsonType::object)) return invalid_request("result is not an object");
  message.id = envelope.id;
  message.result = envelope.result;
  return take_meta(message, envelope.result.find("_meta"));
}

}  // namespace

Result<Message> parse_message(JsonValue value) {
  if (!value.is(JsonType::object)) return invalid_request("not an object");
  const Result<Envelope> envelope = read_envelope(value);
  if (!envelope) return std::unexpected(envelope.error());
  if (envelope->jsonrpc.text() != "2.0") return invalid_request("jsonrpc is not \"2.0\"");
  Message message;
  message.root = value;
  Result<void> taken =
      envelope->method ? take_call(message, *envelope) : take_answer(message, *envelope);
  if (!taken) return std::unexpected(std::move(taken).error());
  return message;
}

bool declares_tasks(JsonValue meta) {
  const JsonValue extensions = meta.find(meta_key::client_capabilities).find("extensions");
  return extensions.find(kTasksExtension).is(JsonType::object);
}

JsonValue readable_id(JsonValue value) {
  const JsonValue id = value.find("id");
  return id && is_id(id) ? id : JsonValue();
}

}  // namespace bartizan
