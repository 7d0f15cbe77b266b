#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/base/result.h"
#include "schemas/json/json.h"
#include "schemas/message/method.h"

namespace bartizan {

enum class MessageKind : std::uint8_t { request, notification, response, error_response };

/// One JSON-RPC message of MCP: handles into an accepted document, nothing copied.
///
/// Lifetime: as long as its document's handles.
struct Message {
  MessageKind kind = MessageKind::notification;
  JsonValue root;
  JsonValue id;      ///< A string or an integer; absent on notifications and some errors.
  JsonValue params;  ///< An object, or absent.
  JsonValue result;
  JsonValue error;
  std::string_view method;        ///< Unescaped; empty on responses.
  const Method* known = nullptr;  ///< Never null; the `unknown` row for a method of no revision.

  // What policy and routing look at, taken from `params` once.
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

/// Reads one JSON-RPC message out of an accepted value (a document's root, or an element of a
/// batch). What it returns has the envelope of JSON-RPC 2.0, an id that is a string or an integer
/// and never null, `params` that is an object if present, and members of the types above. Requests
/// and notifications have no other members than JSON-RPC's; answers may have.
///
/// Input:   any accepted JSON value.
/// Errors:  invalid_request (the envelope), invalid_params (a member of `params` of the wrong
///          type, a name or URI with control characters or over its limit), ambiguous_member (a
///          name equal to a protocol member but for letter case, also under Unicode folding: a
///          case-insensitive reader behind us would take it for the real one, CVE-2026-27896).
/// Cost:    one pass over the members of the envelope, `params` and `_meta`.
/// Source:  JSON-RPC 2.0 §4, §5; MCP 2026-07-28, basic/index.
Result<Message> parse_message(JsonValue value);

/// The id of a refused message, when it can be read, so that the error names it. Otherwise absent.
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

/// The extension by which a server answers `tools/call` with a task, and the key of `extensions` in
/// capabilities that declares it. Source: MCP extension `io.modelcontextprotocol/tasks`.
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

/// Whether a modern request declares that extension for its client. Input: its `_meta`.
bool declares_tasks(JsonValue meta);

}  // namespace bartizan
