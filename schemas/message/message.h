#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/base/result.h"
#include "schemas/json/json.h"
#include "schemas/message/method.h"

namespace bartizan {

enum class MessageKind : std::uint8_t { request, notification, response, error_response };

/// One JSON-RPC message of MCP, as handles into an accepted document. Nothing is copied.
///
/// Lifetime: that of its document's handles.
struct Message {
  MessageKind kind = MessageKind::notification;
  JsonValue root;
  JsonValue id;      ///< A string or an integer; absent on notifications and some errors.
  JsonValue params;  ///< An object, or absent.
  JsonValue result;
  JsonValue error;
  std::string_view method;        ///< Unescaped; empty on responses.
  const Method* known = nullptr;  ///< Never null; the `unknown` row for a method of no revision.

  // Members of `params` that policy and routing read, looked up once.
  JsonValue name;        ///< `params.name`, a string: tool or prompt.
  JsonValue uri;         ///< `params.uri`, a string.
  JsonValue arguments;   ///< `params.arguments`, an object.
  JsonValue meta;        ///< `params._meta` (requests, notifications) or `result._meta`.
  JsonValue cursor;      ///< `params.cursor`, a string.
  JsonValue request_id;  ///< `params.requestId` of `notifications/cancelled`.
  /// `params._meta.progressToken` of a request, `params.progressToken` of a progress notification.
  JsonValue progress_token;

  bool is_request() const { return kind == MessageKind::request; }
  bool is_notification() const { return kind == MessageKind::notification; }
  bool is_answer() const {
    return kind == MessageKind::response || kind == MessageKind::error_response;
  }
};

/// Reads one JSON-RPC message from an accepted value (a document's root, or an element of a batch).
/// The result has the envelope of JSON-RPC 2.0. Its id is a string or an integer and never null.
/// `params` is an object if present, and members have the types above. Requests and notifications
/// have no members beside JSON-RPC's. Responses may have others.
///
/// Input:   any accepted JSON value.
/// Errors:  invalid_request (the envelope). invalid_params (a member of `params` of the wrong type,
///          a name or URI with control characters or over its limit). ambiguous_member (a name that
///          differs from a protocol member by letter case only, also under Unicode folding). A
///          case-insensitive reader after the gateway would confuse such names, CVE-2026-27896.
/// Cost:    one pass over the members of the envelope, `params` and `_meta`.
/// Source:  JSON-RPC 2.0 §4, §5; MCP 2026-07-28, basic/index.
Result<Message> parse_message(JsonValue value);

/// The id of a refused message, for the error response. Absent if it cannot be read.
JsonValue readable_id(JsonValue value);

/// Keys of `_meta` that MCP 2026-07-28 reserves. Source: basic/index, "General fields: _meta".
namespace meta_key {
inline constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view client_capabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view progress_token = "progressToken";
}  // namespace meta_key

/// The extension with which a server answers `tools/call` with a task. It is also the key of
/// `extensions` in capabilities that declares it. Source: MCP extension
/// `io.modelcontextprotocol/tasks`.
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

/// Whether a modern request declares that extension for its client.
/// Input: `meta`, the `_meta` of the request.
bool declares_tasks(JsonValue meta);

}  // namespace bartizan
