#pragma once

#include <cstdint>
#include <string_view>

namespace bartizan {

/// Why a call was decided as it was: stable codes, one per cause, printed in answers, records and
/// metrics. A code is never given a second meaning, and none is removed.
enum class Reason : std::uint8_t {
  none,  ///< The decision is not a refusal.

  // protocol: the message is not one that MCP allows here.
  parse_error,
  invalid_request,
  invalid_params,
  ambiguous_member,
  header_mismatch,
  unsupported_version,
  method_not_found,
  client_capability_missing,  ///< The client does not declare an extension that the method needs.
  session_missing,            ///< The message belongs to no session, and none begins with it.
  session_unknown,
  http_malformed,
  http_too_large,
  http_method_not_allowed,
  http_not_acceptable,
  http_unsupported_media_type,
  http_not_found,
  proxy_header_invalid,  ///< The connection has no valid proxy header.

  // security: the caller may not.
  unauthenticated,
  credentials_invalid,
  credentials_expired,
  principal_unknown,
  origin_not_allowed,
  host_not_allowed,
  revoked,          ///< An operator revoked the principal, session, key or token.
  blocked,          ///< An operator blocked the server, tool or principal.
  sign_in_refused,  ///< A sign-in at a front door that is not as it began, or was not consented to.
  grant_replayed,   ///< A code or refresh token of a front door came twice: its grant has ended.
  redirect_not_allowed,  ///< A client of a front door wants its users sent elsewhere.
  role_missing,          ///< None of the principal's roles may use the console.
  csrf_token_invalid,    ///< A form that was not given to this session.
  no_matching_rule,
  forbidden,
  needs_approval,
  approval_denied,     ///< A person denied this call.
  approval_too_large,  ///< A call that wants an approval, and is too large to be shown to people.
  flow_refused,        ///< An earlier call of the session excludes this one.
  permission_missing,
  client_feature_not_allowed,
  secret_requested,  ///< A server asks a user for a secret.
  not_pending,       ///< An answer or cancellation that names no request of this principal.

  // tool: the thing called.
  tool_unknown,
  resource_unknown,
  prompt_unknown,
  task_unknown,        ///< No task of this principal has the id, or it has ended.
  resource_ambiguous,  ///< Several servers have the URI, and nothing says which is meant.
  tool_quarantined,
  skill_quarantined,  ///< A file of a skill differs from its listed digest.
  not_at_endpoint,    ///< The endpoint does not show it; told as if there were no such thing.

  // validation: the arguments.
  path_outside_root,
  path_malformed,  ///< A spelling that servers read in different ways: NUL, `~`, `%2e`, backslash.
  path_relative,   ///< Relative, and the server has no `cwd` that it would be relative to.
  path_not_allowed,            ///< Inside, but hidden, denied, not writable or not a file.
  path_extension_not_allowed,  ///< A file of another kind.
  path_not_text,               ///< The file exists and is not text.
  path_unresolved,             ///< The look-up on the disk did not succeed in time.
  path_unreachable,            ///< The path cannot be followed to its end on the disk.
  url_malformed,               ///< Not a URL, or a spelling that servers read in different ways.
  url_not_allowed,             ///< Another scheme, host or port, or with credentials.
  url_private,                 ///< An address, or a name, that is not of the Internet.
  url_unresolved,              ///< The look-up of its name did not succeed.
  sql_malformed,               ///< Not read as one statement of its dialect.
  sql_not_allowed,             ///< Another kind of statement, or another table or function.
  command_malformed,           ///< Not a command, or one that shells read in different ways.
  command_not_allowed,         ///< A program, argument or syntax that is not in its lists.
  command_blocked,  ///< It destroys, stops or takes over a machine, whoever allows its program.
  argument_missing,
  argument_wrong_type,
  argument_unguarded,
  argument_undecidable,
  argument_not_allowed,   ///< A value that its predicate does not allow.
  argument_not_absent,    ///< It is present, and a predicate requires it to be absent.
  arguments_invalid,      ///< They do not fit the tool's input schema.
  argument_refused,       ///< They do not fit a schema that policy adds.
  reserved_member,        ///< `__proto__` or its like, where the input schema does not name it.
  schema_too_costly,      ///< Validating the arguments would cost too much.
  result_invalid,         ///< Structured content does not fit the tool's output schema.
  result_unjudged,        ///< The tool's output schema cannot be used.
  result_too_large,       ///< A result holds more than the tool's profiles allow.
  content_withheld,       ///< A redaction rule withholds it.
  argument_withheld,      ///< A redaction rule withholds the arguments.
  request_state_invalid,  ///< `requestState` belongs to another request, or is too old.

  // system: the gateway or the server cannot now.
  limited,
  call_loop,  ///< A sequence of calls was repeated too often.
  overloaded,
  session_limit,       ///< Too many sessions, of the principal or in all.
  issuer_unavailable,  ///< The issuer that must verify the credentials cannot be reached.
  not_recordable,
  shutting_down,
  gateway_stopped,  ///< The gateway stopped before the server answered.
  server_unavailable,
  server_timeout,
  server_failed,
  circuit_open,  ///< The server failed too often; calls are refused for a while.
  internal,
};

enum class ReasonCategory : std::uint8_t { none, protocol, security, tool, validation, system };

/// The stable code: `path_outside_root`.
std::string_view text(Reason reason);
ReasonCategory category(Reason reason);
std::string_view text(ReasonCategory category);
/// Whether the reason refuses the result of a permitted call.
bool is_about_result(Reason reason);
/// One sentence for people, without any value of the call.
std::string_view message_of(Reason reason);
/// Whether the same call may succeed later without a change of policy.
bool retryable(Reason reason);

inline constexpr Reason kLastReason = Reason::internal;

}  // namespace bartizan
