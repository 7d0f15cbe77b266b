#include "policy/verdict/reason.h"

#include <array>
#include <cstddef>

namespace bartizan {
namespace {

/// Whether the same call may succeed, without a change of policy.
enum class Retry : std::uint8_t { never, later };

struct Row {
  Reason reason;
  ReasonCategory category;
  Retry retry;
  std::string_view code;
  std::string_view explanation;
};

using enum ReasonCategory;
using enum Retry;

/// One row for each reason, in the order of the enum; a test holds the table to that.
constexpr std::array kRows{
    Row{Reason::none, none, never, "none", "The call was not refused."},
    Row{Reason::parse_error, protocol, never, "parse_error", "The message is not strict JSON."},
    Row{Reason::invalid_request, protocol, never, "invalid_request",
        "The message is not a JSON-RPC 2.0 message of MCP."},
    Row{Reason::invalid_params, protocol, never, "invalid_params",
        "A member of params is missing or has the wrong type."},
    Row{Reason::ambiguous_member, protocol, never, "ambiguous_member",
        "A member's name differs only in letter case from one that is present or known."},
    Row{Reason::header_mismatch, protocol, never, "header_mismatch",
        "A header that repeats a value of the body is missing or differs from it."},
    Row{Reason::unsupported_version, protocol, never, "unsupported_version",
        "This protocol version is not supported here."},
    Row{Reason::method_not_found, protocol, never, "method_not_found",
        "This protocol version has no such method in this direction."},
    Row{Reason::client_capability_missing, protocol, never, "client_capability_missing",
        "The method needs an extension that the client does not declare in its capabilities."},
    Row{Reason::session_missing, protocol, never, "session_missing",
        "The message belongs to no session: send initialize first."},
    Row{Reason::session_unknown, protocol, never, "session_unknown",
        "The session does not exist, or has ended."},
    Row{Reason::http_malformed, protocol, never, "http_malformed",
        "The HTTP request could be read in more than one way."},
    Row{Reason::http_too_large, protocol, never, "http_too_large",
        "The HTTP request is larger than allowed."},
    Row{Reason::http_method_not_allowed, protocol, never, "http_method_not_allowed",
        "This HTTP method is not served here."},
    Row{Reason::http_not_acceptable, protocol, never, "http_not_acceptable",
        "The Accept header leaves out a type that the response may have."},
    Row{Reason::http_unsupported_media_type, protocol, never, "http_unsupported_media_type",
        "The body must be application/json."},
    Row{Reason::http_not_found, protocol, never, "http_not_found",
        "Nothing is served at this path; see path of [listen] or [endpoint.NAME], /mcp by "
        "default."},
    Row{Reason::proxy_header_invalid, protocol, never, "proxy_header_invalid",
        "The connection does not begin with the header of a trusted proxy; see [listen] "
        "proxy_protocol."},

    Row{Reason::unauthenticated, security, never, "unauthenticated",
        "Credentials are required: send Authorization: Bearer with a key or an access token."},
    Row{Reason::credentials_invalid, security, never, "credentials_invalid",
        "The credentials are not valid."},
    Row{Reason::credentials_expired, security, never, "credentials_expired",
        "The credentials have expired."},
    Row{Reason::principal_unknown, security, never, "principal_unknown",
        "The credentials name a principal that is not configured."},
    Row{Reason::origin_not_allowed, security, never, "origin_not_allowed",
        "The Origin header names a site that is not allowed."},
    Row{Reason::host_not_allowed, security, never, "host_not_allowed",
        "The Host header names a host that is not served."},
    Row{Reason::revoked, security, never, "revoked",
        "The credential, session or principal has been revoked: ask an operator."},
    Row{Reason::blocked, security, never, "blocked",
        "An operator has blocked this: ask them, or use something else."},
    Row{Reason::sign_in_refused, security, never, "sign_in_refused",
        "The sign-in did not begin here, or was not allowed: begin again."},
    Row{Reason::grant_replayed, security, never, "grant_replayed",
        "A code or refresh token was used twice: sign in again."},
    Row{Reason::redirect_not_allowed, security, never, "redirect_not_allowed",
        "The redirect URI is not allowed; see redirect_uris of [auth.front_door.NAME]."},
    Row{Reason::role_missing, security, never, "role_missing",
        "None of the principal's roles is in [console] roles."},
    Row{Reason::csrf_token_invalid, security, never, "csrf_token_invalid",
        "The form was not issued to this session: open the page again."},
    Row{Reason::no_matching_rule, security, never, "no_matching_rule",
        "No rule permits this call."},
    Row{Reason::forbidden, security, never, "forbidden", "A rule forbids this call."},
    Row{Reason::needs_approval, security, later, "needs_approval",
        "A person must approve this call first."},
    Row{Reason::approval_denied, security, never, "approval_denied", "A person denied this call."},
    Row{Reason::approval_too_large, security, never, "approval_too_large",
        "A person must approve this call first, but it is too large to be shown."},
    Row{Reason::flow_refused, security, never, "flow_refused",
        "Earlier calls of this session rule out this call."},
    Row{Reason::permission_missing, security, never, "permission_missing",
        "None of the caller's roles has a permission that the tool requires."},
    Row{Reason::client_feature_not_allowed, security, never, "client_feature_not_allowed",
        "The server may not ask this of clients, or the client did not declare it."},
    Row{Reason::secret_requested, security, never, "secret_requested",
        "The server asks a user for a secret, or in a form that cannot be checked."},
    Row{Reason::not_pending, security, never, "not_pending",
        "The message names no request in progress of this caller."},

    Row{Reason::tool_unknown, tool, never, "tool_unknown", "The server has no such tool."},
    Row{Reason::resource_unknown, tool, never, "resource_unknown",
        "The server has no such resource."},
    Row{Reason::prompt_unknown, tool, never, "prompt_unknown", "The server has no such prompt."},
    Row{Reason::task_unknown, tool, never, "task_unknown",
        "No task of this caller has this id, or the task has ended."},
    Row{Reason::resource_ambiguous, tool, never, "resource_ambiguous",
        "Several servers have a resource with this URI: read it as bartizan://SERVER/URI, as lists "
        "show it, or set resource_uris = \"named\" for all of them but one."},
    Row{Reason::tool_quarantined, tool, never, "tool_quarantined",
        "The tool is quarantined: its definition is not the approved one or cannot be used, or its "
        "name is not unique."},
    Row{Reason::skill_quarantined, tool, never, "skill_quarantined",
        "The skill's file is withheld: it differs from what its server lists."},
    Row{Reason::not_at_endpoint, tool, never, "not_at_endpoint",
        "The endpoint does not show this server or tool; [endpoint.NAME] servers and tools say "
        "what "
        "it shows."},

    Row{Reason::path_outside_root, validation, never, "path_outside_root",
        "The path leads outside the directory that is allowed."},
    Row{Reason::path_malformed, validation, never, "path_malformed",
        "The path can be read in different ways."},
    Row{Reason::path_relative, validation, never, "path_relative",
        "The path is relative, and the directory it would start from is not known."},
    Row{Reason::path_not_allowed, validation, never, "path_not_allowed",
        "The path is inside the allowed directory, but its name or kind is not allowed."},
    Row{Reason::path_extension_not_allowed, validation, never, "path_extension_not_allowed",
        "The path has no extension, or one that policy does not allow."},
    Row{Reason::path_not_text, validation, never, "path_not_text",
        "The path leads to a file that is not text; policy allows only text."},
    Row{Reason::path_unresolved, validation, later, "path_unresolved",
        "The path could not be resolved."},
    Row{Reason::path_unreachable, validation, never, "path_unreachable",
        "The path cannot be followed to its end on the disk."},
    Row{Reason::url_malformed, validation, never, "url_malformed",
        "The text is not a URL, or can be read in different ways."},
    Row{Reason::url_not_allowed, validation, never, "url_not_allowed",
        "The URL has a scheme, host or port that policy does not allow, or credentials."},
    Row{Reason::url_private, validation, never, "url_private",
        "The URL leads to an address or name outside the public Internet."},
    Row{Reason::url_unresolved, validation, later, "url_unresolved",
        "The name in the URL could not be resolved."},
    Row{Reason::sql_malformed, validation, never, "sql_malformed",
        "The text is not understood as one SQL statement."},
    Row{Reason::sql_not_allowed, validation, never, "sql_not_allowed",
        "The SQL statement does, reads or calls something that policy does not allow."},
    Row{Reason::command_malformed, validation, never, "command_malformed",
        "The text is not a command, or shells can read it in different ways."},
    Row{Reason::command_not_allowed, validation, never, "command_not_allowed",
        "The command has a program, argument or syntax that policy does not allow."},
    Row{Reason::command_blocked, validation, never, "command_blocked",
        "The command would destroy, stop or take over the machine."},
    Row{Reason::argument_missing, validation, never, "argument_missing",
        "An argument that policy requires is missing."},
    Row{Reason::argument_wrong_type, validation, never, "argument_wrong_type",
        "An argument has a type that policy does not expect."},
    Row{Reason::argument_unguarded, validation, never, "argument_unguarded",
        "Policy says nothing about this argument, so it is refused."},
    Row{Reason::argument_undecidable, validation, never, "argument_undecidable",
        "Policy cannot decide about this argument."},
    Row{Reason::argument_not_allowed, validation, never, "argument_not_allowed",
        "An argument has a value that policy does not allow."},
    Row{Reason::argument_not_absent, validation, never, "argument_not_absent",
        "An argument is present that policy requires to be absent."},
    Row{Reason::arguments_invalid, validation, never, "arguments_invalid",
        "The arguments do not fit the tool's input schema."},
    Row{Reason::argument_refused, validation, never, "argument_refused",
        "The arguments do not fit the schema that policy adds."},
    Row{Reason::reserved_member, validation, never, "reserved_member",
        "A member's name has a meaning in JavaScript, and the input schema does not name it."},
    Row{Reason::schema_too_costly, validation, never, "schema_too_costly",
        "Validating the value against its schema would cost too much."},
    Row{Reason::result_invalid, validation, never, "result_invalid",
        "The structured content does not fit the tool's output schema."},
    Row{Reason::result_unjudged, validation, never, "result_unjudged",
        "The tool's output schema cannot be used, so its structured content was not validated."},
    Row{Reason::result_too_large, validation, never, "result_too_large",
        "The tool may have run; its result exceeds what policy allows; ask for less."},
    Row{Reason::content_withheld, security, never, "content_withheld",
        "The response contains content that policy withholds."},
    Row{Reason::argument_withheld, security, never, "argument_withheld",
        "The arguments contain content that policy does not allow to be sent; remove it."},
    Row{Reason::request_state_invalid, validation, never, "request_state_invalid",
        "The requestState is of another request or too old; send the request without it."},

    Row{Reason::limited, system, later, "limited", "The caller's limit is used up."},
    Row{Reason::call_loop, system, later, "call_loop",
        "The caller makes the same calls in a loop."},
    Row{Reason::overloaded, system, later, "overloaded", "The gateway is overloaded."},
    Row{Reason::session_limit, system, later, "session_limit",
        "The maximum number of sessions is reached; end one, or try again later."},
    Row{Reason::issuer_unavailable, system, later, "issuer_unavailable",
        "The token cannot be checked now: its issuer does not answer."},
    Row{Reason::not_recordable, system, later, "not_recordable",
        "The call cannot be recorded, and no call passes without a record."},
    Row{Reason::shutting_down, system, later, "shutting_down", "The gateway is shutting down."},
    Row{Reason::gateway_stopped, system, never, "gateway_stopped",
        "The gateway stopped before the server answered; the call may have taken effect."},
    Row{Reason::server_unavailable, system, later, "server_unavailable",
        "The server is not available."},
    Row{Reason::server_timeout, system, later, "server_timeout",
        "The server did not answer in time."},
    Row{Reason::server_failed, system, never, "server_failed",
        "The server failed or broke the protocol."},
    Row{Reason::circuit_open, system, later, "circuit_open",
        "The server failed too often; its calls are refused for a while."},
    Row{Reason::internal, system, never, "internal",
        "The gateway could not decide, so it refuses."},
};
static_assert(kRows.size() == static_cast<std::size_t>(kLastReason) + 1);

const Row& row(Reason reason) {
  return kRows[static_cast<std::size_t>(reason)];
}

}  // namespace

std::string_view text(Reason reason) {
  return row(reason).code;
}

ReasonCategory category(Reason reason) {
  return row(reason).category;
}

std::string_view message_of(Reason reason) {
  return row(reason).explanation;
}

bool is_about_result(Reason reason) {
  return reason == Reason::result_invalid || reason == Reason::result_unjudged ||
         reason == Reason::result_too_large || reason == Reason::content_withheld ||
         reason == Reason::skill_quarantined;
}

std::string_view text(ReasonCategory category) {
  switch (category) {
    case none:
      return "none";
    case protocol:
      return "protocol";
    case security:
      return "security";
    case tool:
      return "tool";
    case validation:
      return "validation";
    case system:
      return "system";
  }
  return "none";
}

bool retryable(Reason reason) {
  return row(reason).retry == Retry::later;
}

}  // namespace bartizan
