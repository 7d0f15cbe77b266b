#include "gateway/dialect/groundhog_answer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "gateway/dialect/result_texts.h"
#include "policy/verdict/find_reason.h"
#include "schemas/base/contains.h"
#include "schemas/json/json.h"
#include "schemas/json/json_members.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Asked = GroundhogRequest::Method;

/// The document's code for every failed call, whatever the cause.
constexpr int kFailedCode = -32601;
constexpr std::string_view kFailedMessage = "Tool execution failed";
/// Starts the last block of content that the gateway truncated.
constexpr std::string_view kTruncated = "[truncated: ";
/// Members of a refusal's `data` that have other places in Groundhog's errors.
constexpr std::array<std::string_view, 4> kMoved{"reason", "category", "decision_id",
                                                 "remediation"};

std::string time_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string seconds_text(std::chrono::microseconds time) {
  return fmt::format("{:.6f}", static_cast<double>(time.count()) / 1e6);
}

/// An error in Groundhog's terms.
struct Failure {
  std::string_view type;       ///< `security_error`
  std::string code;            ///< The gateway's: `path_outside_root`.
  std::string message;         ///< A sentence without details of the call.
  std::string_view violation;  ///< For a security error; otherwise empty.
};

bool is_about_argument(Reason reason) {
  const std::string_view code = text(reason);
  constexpr std::array<std::string_view, 4> kGroups{"path_", "url_", "sql_", "command_"};
  return std::ranges::any_of(kGroups,
                             [code](std::string_view group) { return code.starts_with(group); });
}

std::string_view violation_of(Reason reason) {
  switch (reason) {
    case Reason::unauthenticated:
    case Reason::credentials_invalid:
    case Reason::credentials_expired:
    case Reason::principal_unknown:
    case Reason::revoked:
      return "authentication_failed";
    case Reason::permission_missing:
      return "permission_denied";
    case Reason::limited:
    case Reason::call_loop:
    case Reason::session_limit:
      return "rate_limit_exceeded";
    case Reason::no_matching_rule:
    case Reason::path_outside_root:
    case Reason::path_not_allowed:
      return "unauthorized_access";
    default:
      return "policy_violation";
  }
}

std::string_view type_of(Reason reason) {
  if (is_about_argument(reason) || reason == Reason::limited || reason == Reason::call_loop) {
    return "security_error";
  }
  switch (category(reason)) {
    case ReasonCategory::protocol:
      return "protocol_error";
    case ReasonCategory::security:
      return "security_error";
    case ReasonCategory::tool:
      return "tool_error";
    case ReasonCategory::validation:
      return "validation_error";
    case ReasonCategory::system:
    case ReasonCategory::none:
      return "system_error";
  }
  return "system_error";
}

Failure failure_of(Reason reason) {
  const std::string_view type = type_of(reason);
  return {.type = type,
          .code = std::string(text(reason)),
          .message = std::string(message_of(reason)),
          .violation = type == "security_error" ? violation_of(reason) : std::string_view()};
}

/// The failure for a JSON-RPC code, if nothing is more specific.
Failure failure_of_code(std::int64_t code, std::string_view message) {
  switch (code) {
    case -32700:
      return failure_of(Reason::parse_error);
    case -32601:
      return failure_of(Reason::method_not_found);
    case -32602:
      return failure_of(Reason::invalid_params);
    case -32603:
      return {.type = "system_error", .code = "internal", .message = std::string(message)};
    default:
      return failure_of(Reason::invalid_request);
  }
}

/// The argument of a refusal, if its pointer was disclosed: `requested_path` and similar.
std::optional<std::pair<std::string, std::string>> requested(const GroundhogAnswered& answered,
                                                             const Failure& failure,
                                                             JsonValue data) {
  const std::string_view group = std::string_view(failure.code).substr(0, failure.code.find('_'));
  constexpr std::array<std::string_view, 2> kShown{"path", "url"};
  if (!contains(kShown, group) || answered.request == nullptr) return std::nullopt;
  const JsonValue pointer = data.find("pointer");
  if (!pointer) return std::nullopt;
  const Bytes bytes{std::string_view(answered.request->parameters)};
  JsonDocument document;
  const JsonValue parameters = document.read(bytes).value_or(JsonValue());
  const JsonValue value = parameters.at_pointer(pointer.text());
  if (!value.is(JsonType::string)) return std::nullopt;
  return std::pair(fmt::format("requested_{}", group), std::string(value.text()));
}

/// The details of a failure: those that the MCP response discloses.
std::string details_of(const GroundhogAnswered& answered, const Failure& failure, JsonValue data,
                       std::string_view sentence) {
  JsonMembers details;
  if (const auto argument = requested(answered, failure, data)) {
    details.add(argument->first, argument->second);
  }
  details.add("reason", sentence);
  if (const JsonValue remediation = data.find("remediation")) {
    details.add_raw("suggestion", remediation.raw());
  }
  for (const JsonValue member : data) {
    if (!contains(kMoved, member.key())) details.add_raw(member.key(), member.raw());
  }
  return details.text();
}

/// Input: `told`, the details in the MCP response; may be absent.
std::string write_failure(std::string_view id, int code, std::string_view message,
                          const GroundhogAnswered& answered, const Failure& failure, JsonValue told,
                          std::string_view sentence) {
  JsonMembers context;
  if (!failure.violation.empty()) context.add("violation_type", failure.violation);
  const JsonValue decision = told.find("decision_id");
  const std::string_view audit = decision ? decision.text() : answered.decision_id;
  if (!audit.empty()) context.add("audit_id", audit);
  JsonMembers data;
  data.add("error_type", failure.type)
      .add("error_code", failure.code)
      .add("error_message", failure.message)
      .add_raw("details", details_of(answered, failure, told, sentence))
      .add_raw("security_context", context.text())
      .add("timestamp", time_text(answered.now));
  return write_error(id, code, message, data.text());
}

/// Whether `data` is from the gateway's own refusal. A server cannot know the id of the decision
/// that permitted the call.
bool is_refusal(const GroundhogAnswered& answered, JsonValue data) {
  if (!find_reason(data.find("reason").text()).has_value()) return false;
  return answered.decision_id.empty() || data.find("decision_id").text() == answered.decision_id;
}

std::string write_error_answer(std::string_view id, JsonValue error,
                               const GroundhogAnswered& answered) {
  const JsonValue data = error.find("data");
  const std::string_view sentence = error.find("message").text();
  const std::int64_t code = error.find("code").integer().value_or(-32603);
  const bool is_call = answered.request != nullptr && answered.request->method == Asked::invoke;
  const bool is_ours = is_refusal(answered, data);
  const bool is_of_server = !is_ours && is_call && !answered.decision_id.empty();
  Failure failure = failure_of_code(code, sentence);
  if (is_ours) failure = failure_of(*find_reason(data.find("reason").text()));
  if (is_of_server) {
    failure = {.type = "tool_error", .code = "tool_failed", .message = "The tool failed."};
  }
  // A server's error may have members of any name, so only those of the gateway are used.
  const JsonValue told = is_ours ? data : JsonValue();
  return is_call ? write_failure(id, kFailedCode, kFailedMessage, answered, failure, told, sentence)
                 : write_failure(id, static_cast<int>(code), sentence, answered, failure, told,
                                 sentence);
}

bool is_truncated(JsonValue content) {
  return std::any_of(content.begin(), content.end(), [](JsonValue block) {
    return block.find("text").text().starts_with(kTruncated);
  });
}

/// `data.metadata`: the tool's values; for missing ones, the gateway's.
std::string metadata_of(JsonValue result, JsonValue structured, const GroundhogAnswered& answered) {
  const JsonValue own = structured.find("metadata");
  JsonMembers metadata;
  if (own.is(JsonType::object)) {
    for (const JsonValue member : own)
      metadata.add_raw(member.key(), member.raw());
  } else if (own) {
    metadata.add_raw("value", own.raw());
  }
  const JsonValue entries = structured.find("entries");
  const JsonValue content = result.find("content");
  const bool has_entries = entries.is(JsonType::array);
  if (!own.find("total_entries")) {
    metadata.add_raw("total_entries",
                     std::to_string(has_entries ? entries.size() : content.size()));
  }
  if (!own.find("execution_time")) {
    metadata.add_raw("execution_time", seconds_text(answered.elapsed));
  }
  if (!own.find("truncated"))
    metadata.add_raw("truncated", is_truncated(content) ? "true" : "false");
  return metadata.text();
}

/// `data`: the members of the structured content, or the content if there is none.
std::string data_of(JsonValue result, const GroundhogAnswered& answered) {
  JsonValue structured = result.find("structuredContent");
  // Some libraries write null for none.
  if (structured.is(JsonType::null)) structured = {};
  const JsonValue content = result.find("content");
  JsonMembers data;
  if (structured.is(JsonType::object)) {
    for (const JsonValue member : structured) {
      if (member.key() != "metadata") data.add_raw(member.key(), member.raw());
    }
  } else if (structured) {
    data.add_raw("value", structured.raw());
  }
  // Beside structured content, text blocks are only a copy of it. Other blocks are not.
  const bool is_more = std::any_of(content.begin(), content.end(), [](JsonValue block) {
    return block.find("type").text() != "text";
  });
  const bool is_shown =
      content && !structured.find("content") && (!structured || is_more || is_truncated(content));
  if (is_shown) data.add_raw("content", content.raw());
  return data.add_raw("metadata", metadata_of(result, structured, answered)).text();
}

std::string write_call_answer(std::string_view id, JsonValue result,
                              const GroundhogAnswered& answered) {
  const std::string sentence = texts_of_content(result.find("content"));
  const JsonValue denial = result.find("_meta").find("bartizan/denial");
  if (denial && is_refusal(answered, denial)) {
    return write_failure(id, kFailedCode, kFailedMessage, answered,
                         failure_of(*find_reason(denial.find("reason").text())), denial, sentence);
  }
  const JsonValue note = result.find("_meta").find("bartizan/withheld");
  const bool is_withheld = note && is_refusal(answered, note);
  if (is_withheld && !is_truncated(result.find("content"))) {
    return write_failure(id, kFailedCode, kFailedMessage, answered,
                         failure_of(*find_reason(note.find("reason").text())), note, sentence);
  }
  if (result.find("isError").boolean().value_or(false)) {
    const Failure failure{
        .type = "tool_error", .code = "tool_failed", .message = "The tool failed."};
    return write_failure(id, kFailedCode, kFailedMessage, answered, failure, {}, sentence);
  }
  std::string used = "[";
  for (const std::string& permission : answered.permissions)
    used += (used.size() > 1 ? "," : "") + json_string(permission);
  JsonMembers context;
  context.add_raw("access_granted", "true")
      .add_raw("permissions_used", used + "]")
      .add("audit_id", answered.decision_id);
  JsonMembers members;
  members.add("tool_id", answered.request->tool)
      .add("execution_id", "exec-" + answered.decision_id)
      .add("status", "success")
      .add_raw("data", data_of(result, answered))
      .add_raw("security_context", context.text());
  return write_result(id, members.text());
}

}  // namespace

std::string write_groundhog_answer(std::string_view mcp, const GroundhogAnswered& answered) {
  const Bytes bytes{mcp};
  JsonDocument document;
  const JsonValue answer = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const JsonValue id = answer.find("id");
  const std::string_view id_json = id ? id.raw() : std::string_view("null");
  if (const JsonValue error = answer.find("error")) {
    return write_error_answer(id_json, error, answered);
  }
  const JsonValue result = answer.find("result");
  const bool is_call = answered.request != nullptr && answered.request->method == Asked::invoke;
  if (!is_call) return std::string(mcp);
  if (result) return write_call_answer(id_json, result, answered);
  const Failure unreadable{.type = "system_error",
                           .code = std::string(text(Reason::internal)),
                           .message = std::string(message_of(Reason::internal))};
  return write_failure(answered.id_json, kFailedCode, kFailedMessage, answered, unreadable, {},
                       "The answer cannot be written in Groundhog's members.");
}

}  // namespace bartizan
