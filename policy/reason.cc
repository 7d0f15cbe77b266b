#include "policy/reason.h"

#include <array>
#include <cstddef>

namespace bartizan {
namespace {

struct Row {
  Reason reason;
  ReasonCategory category;
  std::string_view code;
  std::string_view explanation;
};

using enum ReasonCategory;

/// One row for each reason, in the order of the enum; a test holds the table to that.
constexpr std::array kRows{
    Row{Reason::none, none, "none", "The call was not refused."},
    Row{Reason::parse_error, protocol, "parse_error", "The message is not strict JSON."},
    Row{Reason::invalid_request, protocol, "invalid_request",
        "The message is not a JSON-RPC 2.0 message of MCP."},
    Row{Reason::invalid_params, protocol, "invalid_params",
        "A member of params is missing or has the wrong type."},
    Row{Reason::ambiguous_member, protocol, "ambiguous_member",
        "A member's name differs from one of the protocol's by letter case only."},
    Row{Reason::header_mismatch, protocol, "header_mismatch",
        "A header that repeats a value of the body is missing or differs from it."},
    Row{Reason::unsupported_version, protocol, "unsupported_version",
        "This protocol version is not spoken here."},
    Row{Reason::method_not_found, protocol, "method_not_found",
        "This protocol version has no such method in this direction."},
    Row{Reason::session_unknown, protocol, "session_unknown",
        "The session does not exist, or has ended."},
    Row{Reason::http_malformed, protocol, "http_malformed",
        "The HTTP request could be read in more than one way."},
    Row{Reason::http_too_large, protocol, "http_too_large",
        "The HTTP request is larger than allowed."},
    Row{Reason::http_method_not_allowed, protocol, "http_method_not_allowed",
        "This HTTP method is not served here."},
    Row{Reason::http_not_acceptable, protocol, "http_not_acceptable",
        "The Accept header leaves out a type that the answer may have."},
    Row{Reason::http_unsupported_media_type, protocol, "http_unsupported_media_type",
        "The body must be application/json."},
    Row{Reason::http_not_found, protocol, "http_not_found",
        "Nothing is served at this path; [listen] path names the endpoint, /mcp by default."},

    Row{Reason::unauthenticated, security, "unauthenticated",
        "Credentials are required: send Authorization: Bearer KEY."},
    Row{Reason::credentials_invalid, security, "credentials_invalid",
        "The credentials are not valid."},
    Row{Reason::credentials_expired, security, "credentials_expired",
        "The credentials have expired."},
    Row{Reason::principal_unknown, security, "principal_unknown",
        "The credentials name a principal that is not configured."},
    Row{Reason::origin_not_allowed, security, "origin_not_allowed",
        "The Origin header names a site that is not allowed."},
    Row{Reason::host_not_allowed, security, "host_not_allowed",
        "The Host header names a host that is not served."},
    Row{Reason::no_matching_rule, security, "no_matching_rule", "No rule permits this call."},
    Row{Reason::forbidden, security, "forbidden", "A rule forbids this call."},
    Row{Reason::needs_approval, security, "needs_approval",
        "A person must approve this call first."},
    Row{Reason::flow_refused, security, "flow_refused",
        "What was read before in this session rules this call out."},
    Row{Reason::permission_missing, security, "permission_missing",
        "None of the caller's roles holds a permission that the tool asks for."},
    Row{Reason::client_feature_not_allowed, security, "client_feature_not_allowed",
        "The server may not ask this of clients, or the client did not declare it."},
    Row{Reason::secret_requested, security, "secret_requested",
        "The server asks a user for what must stay secret, or so that nobody sees for what."},
    Row{Reason::not_pending, security, "not_pending",
        "The message names no request in progress of this caller."},

    Row{Reason::tool_unknown, tool, "tool_unknown", "The server has no such tool."},
    Row{Reason::resource_unknown, tool, "resource_unknown", "The server has no such resource."},
    Row{Reason::prompt_unknown, tool, "prompt_unknown", "The server has no such prompt."},
    Row{Reason::tool_quarantined, tool, "tool_quarantined",
        "The tool is quarantined: its definition is not what was approved, or cannot be used, or "
        "its name is not its own alone."},

    Row{Reason::path_outside_root, validation, "path_outside_root",
        "The path leads outside the directory that is allowed."},
    Row{Reason::path_malformed, validation, "path_malformed",
        "The path is spelled in a way that programs read differently."},
    Row{Reason::path_relative, validation, "path_relative",
        "The path is relative, and the directory it would start from is not known."},
    Row{Reason::path_not_allowed, validation, "path_not_allowed",
        "The path lies inside the directory that is allowed, and is not allowed by its name or "
        "kind."},
    Row{Reason::path_extension_not_allowed, validation, "path_extension_not_allowed",
        "The path has an extension that policy does not allow, or none."},
    Row{Reason::path_unresolved, validation, "path_unresolved",
        "Where the path leads could not be found out."},
    Row{Reason::path_unreachable, validation, "path_unreachable",
        "The path cannot be followed to its end on the disk."},
    Row{Reason::url_malformed, validation, "url_malformed",
        "The text is no URL, or spelled in a way that programs read differently."},
    Row{Reason::url_not_allowed, validation, "url_not_allowed",
        "The URL has a scheme, host or port that policy does not allow, or credentials."},
    Row{Reason::url_private, validation, "url_private",
        "The URL leads to an address or name that is not of the Internet."},
    Row{Reason::url_unresolved, validation, "url_unresolved",
        "Where the name in the URL leads could not be found out."},
    Row{Reason::sql_malformed, validation, "sql_malformed",
        "The text is not understood as one SQL statement."},
    Row{Reason::sql_not_allowed, validation, "sql_not_allowed",
        "The SQL statement does, reads or calls what policy does not allow."},
    Row{Reason::command_malformed, validation, "command_malformed",
        "The text is no command, or one that shells read in different ways."},
    Row{Reason::command_not_allowed, validation, "command_not_allowed",
        "The command has a program, argument or syntax that policy does not allow."},
    Row{Reason::command_blocked, validation, "command_blocked",
        "The command would destroy, stop or take over the machine."},
    Row{Reason::argument_missing, validation, "argument_missing",
        "An argument that policy must see is missing."},
    Row{Reason::argument_wrong_type, validation, "argument_wrong_type",
        "An argument has a type that policy does not expect."},
    Row{Reason::argument_unguarded, validation, "argument_unguarded",
        "Policy says nothing about this argument, so it is refused."},
    Row{Reason::argument_undecidable, validation, "argument_undecidable",
        "Policy cannot decide about this argument."},
    Row{Reason::argument_not_allowed, validation, "argument_not_allowed",
        "An argument has a value that policy does not allow."},
    Row{Reason::argument_not_absent, validation, "argument_not_absent",
        "An argument is there that policy wants absent."},
    Row{Reason::arguments_invalid, validation, "arguments_invalid",
        "The arguments do not fit the tool's input schema."},
    Row{Reason::argument_refused, validation, "argument_refused",
        "The arguments do not fit the schema that policy adds."},
    Row{Reason::reserved_member, validation, "reserved_member",
        "A member's name has a meaning in JavaScript, and the input schema does not name it."},
    Row{Reason::schema_too_costly, validation, "schema_too_costly",
        "To hold the value against its schema would cost too much."},
    Row{Reason::result_invalid, validation, "result_invalid",
        "The structured content does not fit the tool's output schema."},
    Row{Reason::result_too_large, validation, "result_too_large",
        "The tool may have run; its answer holds more than policy lets through; ask for less."},
    Row{Reason::content_withheld, security, "content_withheld",
        "The server's answer holds what policy lets nobody have."},
    Row{Reason::argument_withheld, security, "argument_withheld",
        "The arguments hold what policy lets nobody send; send them without it."},

    Row{Reason::limited, system, "limited", "The caller's limit is used up."},
    Row{Reason::call_loop, system, "call_loop",
        "The caller makes the same calls over and over, in a circle."},
    Row{Reason::overloaded, system, "overloaded", "The gateway is overloaded."},
    Row{Reason::not_recordable, system, "not_recordable",
        "The call cannot be recorded, and nothing happens without a record."},
    Row{Reason::shutting_down, system, "shutting_down", "The gateway is shutting down."},
    Row{Reason::server_unavailable, system, "server_unavailable", "The server is not available."},
    Row{Reason::server_timeout, system, "server_timeout", "The server did not answer in time."},
    Row{Reason::server_failed, system, "server_failed", "The server failed or broke the protocol."},
    Row{Reason::circuit_open, system, "circuit_open",
        "The server failed too often; its calls are refused for a while."},
    Row{Reason::internal, system, "internal", "The gateway could not decide, so it refuses."},
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

std::string_view explanation(Reason reason) {
  return row(reason).explanation;
}

bool is_about_result(Reason reason) {
  return reason == Reason::result_invalid || reason == Reason::result_too_large ||
         reason == Reason::content_withheld;
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
  switch (reason) {
    case Reason::needs_approval:
    case Reason::path_unresolved:
    case Reason::url_unresolved:
    case Reason::limited:
    case Reason::call_loop:
    case Reason::overloaded:
    case Reason::not_recordable:
    case Reason::shutting_down:
    case Reason::server_unavailable:
    case Reason::server_timeout:
    case Reason::circuit_open:
      return true;
    default:
      return false;
  }
}

}  // namespace bartizan
