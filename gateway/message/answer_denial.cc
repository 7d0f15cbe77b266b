#include "gateway/message/answer_denial.h"

#include <span>
#include <utility>

#include "config/parse_units.h"
#include "gateway/message/other_id.h"
#include "schemas/base/error_code.h"
#include "schemas/json/json.h"
#include "schemas/json/json_members.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// Codes by era. Modern ones lie outside −32768…−32000, where the specification wants them.
struct Codes {
  int legacy;
  int modern;
};

constexpr int rpc(RpcCode code) {
  return static_cast<int>(code);
}

Codes codes(Reason reason) {
  switch (reason) {
    case Reason::limited:
    case Reason::call_loop:
      return {-32000, 42900};
    case Reason::tool_quarantined:
    case Reason::skill_quarantined:
      return {-32000, 40302};
    case Reason::not_recordable:
    case Reason::overloaded:
    case Reason::session_limit:
    case Reason::issuer_unavailable:
    case Reason::shutting_down:
    case Reason::gateway_stopped:
      return {-32000, 50300};
    case Reason::needs_approval:
    case Reason::approval_denied:
    case Reason::approval_too_large:
      return {-32003, 40301};
    case Reason::tool_unknown:
    case Reason::not_at_endpoint:
    case Reason::prompt_unknown:
    case Reason::task_unknown:
    case Reason::resource_ambiguous:
    case Reason::invalid_params:
    case Reason::arguments_invalid:
    case Reason::reserved_member:
    case Reason::request_state_invalid:
    case Reason::path_extension_not_allowed:
    case Reason::path_not_text:
    case Reason::argument_missing:
    case Reason::argument_wrong_type:
      return {rpc(RpcCode::invalid_params), rpc(RpcCode::invalid_params)};
    case Reason::resource_unknown:
      return {-32002, rpc(RpcCode::invalid_params)};
    case Reason::server_unavailable:
    case Reason::server_failed:
    case Reason::circuit_open:
      return {rpc(RpcCode::internal_error), 50200};
    case Reason::server_timeout:
      return {-32001, 50400};
    case Reason::method_not_found:
      return {rpc(RpcCode::method_not_found), rpc(RpcCode::method_not_found)};
    case Reason::client_capability_missing:
      return {rpc(RpcCode::missing_capability), rpc(RpcCode::missing_capability)};
    case Reason::header_mismatch:
      return {rpc(RpcCode::header_mismatch), rpc(RpcCode::header_mismatch)};
    case Reason::invalid_request:
    case Reason::session_missing:
    case Reason::session_unknown:
      return {rpc(RpcCode::invalid_request), rpc(RpcCode::invalid_request)};
    case Reason::internal:
      return {rpc(RpcCode::internal_error), rpc(RpcCode::internal_error)};
    case Reason::none:
    case Reason::parse_error:
    case Reason::ambiguous_member:
    case Reason::unsupported_version:
    case Reason::http_malformed:
    case Reason::http_too_large:
    case Reason::http_method_not_allowed:
    case Reason::http_not_acceptable:
    case Reason::http_unsupported_media_type:
    case Reason::http_not_found:
    case Reason::proxy_header_invalid:
    case Reason::unauthenticated:
    case Reason::credentials_invalid:
    case Reason::credentials_expired:
    case Reason::principal_unknown:
    case Reason::origin_not_allowed:
    case Reason::host_not_allowed:
    case Reason::revoked:
    case Reason::blocked:
    case Reason::sign_in_refused:
    case Reason::grant_replayed:
    case Reason::redirect_not_allowed:
    case Reason::role_missing:
    case Reason::csrf_token_invalid:
    case Reason::no_matching_rule:
    case Reason::forbidden:
    case Reason::flow_refused:
    case Reason::permission_missing:
    case Reason::client_feature_not_allowed:
    case Reason::secret_requested:
    case Reason::not_pending:
    case Reason::path_outside_root:
    case Reason::path_malformed:
    case Reason::path_relative:
    case Reason::path_not_allowed:
    case Reason::path_unresolved:
    case Reason::path_unreachable:
    case Reason::url_malformed:
    case Reason::url_not_allowed:
    case Reason::url_private:
    case Reason::url_unresolved:
    case Reason::sql_malformed:
    case Reason::sql_not_allowed:
    case Reason::command_malformed:
    case Reason::command_not_allowed:
    case Reason::command_blocked:
    case Reason::argument_unguarded:
    case Reason::argument_undecidable:
    case Reason::argument_not_allowed:
    case Reason::argument_not_absent:
    case Reason::argument_refused:
    case Reason::schema_too_costly:
    case Reason::result_invalid:
    case Reason::result_unjudged:
    case Reason::result_too_large:
    case Reason::content_withheld:
    case Reason::argument_withheld:
      return {-32000, 40300};
  }
  return {-32000, 40300};
}

/// The protocol error that a reason is, where a transport has statuses for those.
std::optional<ErrorCode> protocol_error(Reason reason, Era era) {
  if (reason == Reason::header_mismatch) return ErrorCode::header_mismatch;
  if (reason == Reason::client_capability_missing) return ErrorCode::missing_capability;
  if (reason == Reason::session_unknown) return ErrorCode::not_found;
  if (reason == Reason::method_not_found && era == Era::modern) return ErrorCode::method_not_found;
  return std::nullopt;
}

/// Whether the refusal is about the schema that the caller may list, whose contents are no secret.
bool is_about_listed_schema(Reason reason) {
  return reason == Reason::arguments_invalid || reason == Reason::reserved_member;
}

/// The violations that this caller may learn.
std::span<const SchemaViolation> told_violations(const DenialAnswer& denial) {
  if (denial.violations == nullptr) return {};
  const bool is_open =
      is_about_listed_schema(denial.reason) || denial.reason == Reason::invalid_params;
  if (!is_open && denial.trust < Trust::verified) return {};
  return *denial.violations;
}

std::string violations_json(std::span<const SchemaViolation> violations) {
  std::string json = "[";
  for (const SchemaViolation& violation : violations) {
    JsonMembers one;
    one.add("pointer", violation.pointer);
    one.add("keyword", violation.keyword);
    one.add("expected", violation.expected);
    if (json.size() > 1) json += ",";
    json += std::move(one).text();
  }
  return json + "]";
}

/// `/limit: at most 10 (maximum); /path: …`
std::string violations_text(std::span<const SchemaViolation> violations) {
  std::string sentence;
  for (const SchemaViolation& violation : violations) {
    if (!sentence.empty()) sentence += "; ";
    sentence += violation.pointer.empty() ? "the whole" : violation.pointer;
    sentence += ": expected " + violation.expected + " (" + violation.keyword + ")";
  }
  return sentence;
}

std::string data_of(const DenialAnswer& denial) {
  const Trust trust = denial.trust;
  const RuleInfo* rule = denial.rule;
  JsonMembers data;
  data.add("reason", text(denial.reason));
  data.add("category", text(category(denial.reason)));
  if (!denial.decision_id.empty()) data.add("decision_id", denial.decision_id);
  if (trust >= Trust::verified && rule != nullptr) data.add("policy_rule", rule->name);
  if (trust >= Trust::community && rule != nullptr && !rule->remediation.empty()) {
    data.add("remediation", rule->remediation);
  }
  const auto violations = told_violations(denial);
  if (!violations.empty()) data.add_raw("violations", violations_json(violations));
  if (trust >= Trust::verified && violations.empty() && !denial.pointer.empty()) {
    data.add("pointer", denial.pointer);
  }
  if (trust >= Trust::verified && denial.outside != OutsideRefusal::none) {
    data.add("detail", text(denial.outside));
  }
  if (trust >= Trust::verified && !denial.permission.empty()) {
    data.add("permission", denial.permission);
  }
  if (!denial.approval_id.empty()) data.add("approval_id", denial.approval_id);
  if (trust >= Trust::community && !denial.approval_url.empty()) {
    data.add("approval_url", denial.approval_url);
  }
  data.add_raw("retryable", retryable(denial.reason) ? "true" : "false");
  if (denial.retry_after.has_value()) {
    data.add_raw("retry_after_ms", std::to_string(denial.retry_after->count()));
  }
  if (denial.reason == Reason::resource_unknown) data.add("uri", denial.resource);
  // Only tasks want one. Source: MCP extension io.modelcontextprotocol/tasks, "Protocol Errors".
  if (denial.reason == Reason::client_capability_missing) {
    data.add_raw("requiredCapabilities",
                 R"({"extensions":{")" + std::string(kTasksExtension) + R"(":{}}})");
  }
  return std::move(data).text();
}

/// `120 ms`, `9 s`, `3 min`, `2 days`: never shorter than it is, and not much longer.
std::string wait_text(std::chrono::milliseconds wait) {
  using namespace std::chrono;
  if (wait < seconds(1)) return format_duration(wait);
  if (wait <= minutes(2)) return format_duration(ceil<seconds>(wait));
  if (wait <= hours(2)) return format_duration(ceil<minutes>(wait));
  return format_duration(wait <= days(2) ? milliseconds(ceil<hours>(wait)) : ceil<days>(wait));
}

/// Whether a detail is a sentence that says all that the reason's own would say: it is then not
/// said twice.
bool says_what_happened(std::string_view detail) {
  return detail.starts_with("the server") || detail.starts_with("no server ") ||
         detail.starts_with("the session ");
}

std::string as_sentence(std::string_view detail) {
  std::string sentence(detail);
  sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return sentence;
}

/// The cause, without a full stop. Models correct their arguments by it.
std::string cause(const DenialAnswer& denial) {
  if (denial.reason == Reason::limited && denial.rule != nullptr) {
    return "The limit \"" + denial.rule->name + "\" is used up";
  }
  if (denial.reason == Reason::call_loop && denial.rule != nullptr) {
    return "The limit \"" + denial.rule->name + "\" stops repeated call sequences";
  }
  // The length of the wait is no secret, and the caller needs it to choose the limit to raise.
  const bool is_told = denial.trust >= Trust::system || denial.reason == Reason::server_timeout ||
                       denial.detail == kOtherId;
  const std::string_view detail = is_told ? denial.detail : std::string_view();
  if (says_what_happened(detail)) return as_sentence(detail);
  std::string cause(message_of(denial.reason));
  if (cause.ends_with('.')) cause.pop_back();
  if (!detail.empty()) cause += ": " + std::string(detail);
  const auto violations = told_violations(denial);
  if (!violations.empty()) return cause + ": " + violations_text(violations);
  if (denial.trust >= Trust::verified && !denial.pointer.empty()) {
    cause += ": " + std::string(denial.pointer);
    if (denial.outside != OutsideRefusal::none) cause += " " + std::string(text(denial.outside));
  }
  if (denial.trust >= Trust::verified && !denial.permission.empty()) {
    cause += ": " + std::string(denial.permission);
  }
  return cause;
}

/// Clients show their users this and nothing else, so it names the decision.
std::string sentence(const DenialAnswer& denial) {
  std::string sentence = cause(denial);
  if (denial.retry_after.has_value() && retryable(denial.reason)) {
    sentence += "; try again in " + wait_text(*denial.retry_after);
  }
  std::string ids;
  if (!denial.approval_id.empty()) ids = "approval " + std::string(denial.approval_id);
  if (!denial.decision_id.empty()) {
    ids += (ids.empty() ? "decision " : ", decision ") + std::string(denial.decision_id);
  }
  if (!ids.empty()) sentence += " (" + ids + ")";
  sentence += ".";
  const bool tells = denial.trust >= Trust::community;
  if (tells && denial.rule != nullptr && !denial.rule->remediation.empty()) {
    sentence += " " + denial.rule->remediation;
  }
  return sentence;
}

Reason missing(TargetKind kind) {
  if (kind == TargetKind::prompt) return Reason::prompt_unknown;
  return kind == TargetKind::resource ? Reason::resource_unknown : Reason::tool_unknown;
}

/// Callers who may not learn the state of the disk get the same answer for an unreachable path as
/// for one that could not be resolved in time. Otherwise refused calls would reveal the files below
/// a root.
bool tells_too_much(const DenialAnswer& denial) {
  return denial.reason == Reason::path_unreachable && denial.trust < Trust::verified;
}

/// A hidden refusal is, byte for byte, what a missing tool is answered: nothing that was found out
/// about the call goes along.
DenialAnswer as_missing(const DenialAnswer& denial) {
  const bool is_unknown = denial.hidden_as == Reason::tool_unknown;
  // Unless what is missing is answered as an outage as well.
  const bool is_outage = category(denial.hidden_as) == ReasonCategory::system;
  return {.reason = is_unknown ? missing(denial.kind) : denial.hidden_as,
          .permission = is_unknown ? std::string_view() : denial.permission,
          .decision_id = denial.decision_id,
          .id_json = denial.id_json,
          .era = denial.era,
          .trust = denial.trust,
          .is_tool_call = denial.is_tool_call,
          .kind = denial.kind,
          .resource = denial.resource,
          .retry_after = is_outage ? denial.retry_after : std::nullopt,
          .detail = is_outage ? denial.detail : std::string_view()};
}

std::string content_of(const DenialAnswer& denial) {
  std::string content = R"([{"type":"text","text":)";
  append_json_string(content, sentence(denial));
  return content + "}]";
}

Answer as_tool_result(const DenialAnswer& denial) {
  std::string result = R"({"content":)" + content_of(denial);
  result += R"(,"isError":true,"_meta":{"bartizan/denial":)" + data_of(denial);
  result += "}";
  if (denial.era == Era::modern) result += R"(,"resultType":"complete")";
  return {.message = write_result(denial.id_json, result + "}")};
}

}  // namespace

int denial_code(Reason reason, Era era) {
  return era == Era::modern ? codes(reason).modern : codes(reason).legacy;
}

Answer answer_denial(const DenialAnswer& denial) {
  if (denial.is_hidden) return answer_denial(as_missing(denial));
  if (tells_too_much(denial)) {
    DenialAnswer vague = denial;
    vague.reason = Reason::path_unresolved;
    return answer_denial(vague);
  }
  const bool is_for_model =
      is_about_listed_schema(denial.reason) && reports_argument_errors_as_results(denial.version);
  const bool wants_result = denial.rule != nullptr && denial.rule->answer_as_result;
  if (denial.is_tool_call && (is_for_model || wants_result)) return as_tool_result(denial);
  return {.message = write_error(denial.id_json, denial_code(denial.reason, denial.era),
                                 sentence(denial), data_of(denial)),
          .protocol_error = protocol_error(denial.reason, denial.era)};
}

std::string denial_sentence(const DenialAnswer& denial) {
  return sentence(denial);
}

std::string denial_data(const DenialAnswer& denial) {
  return data_of(denial);
}

std::string withheld_note(const DenialAnswer& denial) {
  return R"("bartizan/withheld":)" + data_of(denial);
}

std::string withheld_content(const DenialAnswer& denial) {
  return content_of(denial);
}

std::string_view absent_id(Era era) {
  return era == Era::legacy ? "null" : "";
}

Answer answer_protocol_error(ErrorCode code, std::string_view message, std::string_view id_json,
                             std::string_view data_json) {
  return {.message = write_error(id_json, static_cast<int>(rpc_code(code)), message, data_json),
          .protocol_error = code};
}

Reason protocol_reason(ErrorCode code) {
  if (rpc_code(code) == RpcCode::parse_error) return Reason::parse_error;
  switch (code) {
    case ErrorCode::ambiguous_member:
      return Reason::ambiguous_member;
    case ErrorCode::invalid_params:
      return Reason::invalid_params;
    case ErrorCode::method_not_found:
      return Reason::method_not_found;
    case ErrorCode::header_mismatch:
      return Reason::header_mismatch;
    case ErrorCode::unsupported_version:
      return Reason::unsupported_version;
    case ErrorCode::overloaded:
      return Reason::overloaded;
    default:
      return Reason::invalid_request;
  }
}

Reason reason_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::timed_out:
      return Reason::server_timeout;
    case ErrorCode::overloaded:
      return Reason::overloaded;
    case ErrorCode::not_recordable:
      return Reason::not_recordable;
    case ErrorCode::io_failed:
    case ErrorCode::server_unavailable:
      return Reason::server_unavailable;
    default:
      return Reason::server_failed;
  }
}

}  // namespace bartizan
