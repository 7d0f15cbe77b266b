#include "gateway/dialect/fabricore_answer.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "gateway/dialect/result_texts.h"
#include "policy/verdict/find_reason.h"
#include "schemas/json/json_members.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

constexpr std::int64_t kSecurityViolation = -32003;
constexpr std::int64_t kInvalidRequest = -32600;
constexpr std::int64_t kInvalidParams = -32602;
constexpr std::int64_t kInternalError = -32603;

/// The outcome of a call, before it is written.
struct Told {
  std::optional<std::string> result = {};  ///< As JSON; nothing for an error.
  std::int64_t code = 0;
  std::string message = {};
  std::string data = {};              ///< As JSON; may be empty.
  std::optional<Reason> reason = {};  ///< Of a refusal by the gateway.
};

/// The code of a refusal by the gateway. Input: the code in the MCP response.
std::int64_t code_of(Reason reason, std::int64_t mcp) {
  const bool is_of_protocol = mcp <= -32600 && mcp >= -32700;
  switch (category(reason)) {
    case ReasonCategory::security:
      return kSecurityViolation;
    case ReasonCategory::tool:
    case ReasonCategory::validation:
      return kInvalidParams;
    case ReasonCategory::protocol:
      return is_of_protocol ? mcp : kInvalidRequest;
    case ReasonCategory::system:
    case ReasonCategory::none:
      break;
  }
  return kInternalError;
}

/// A refusal by the gateway. Input: `denial`, its description in the MCP response.
Told refusal(Reason reason, JsonValue denial, std::string_view sentence, std::int64_t mcp) {
  const std::int64_t code = code_of(reason, mcp);
  JsonMembers data;
  const JsonValue rule = denial.find("policy_rule");
  data.add("source", "gateway");
  data.add("policy_rule", rule ? rule.text() : text(reason));
  for (const JsonValue member : denial) {
    if (member.key() != "source" && member.key() != "policy_rule") {
      data.add_raw(member.key(), member.raw());
    }
  }
  return {.code = code,
          .message = code == kSecurityViolation ? fmt::format("Security Violation: {}", sentence)
                                                : std::string(sentence),
          .data = std::move(data).text(),
          .reason = reason};
}

Told told_error(JsonValue error) {
  const JsonValue data = error.find("data");
  const std::string_view message = error.find("message").text();
  const std::int64_t code = error.find("code").integer().value_or(kInternalError);
  const JsonValue agent = data.find("agent");
  if (const auto reason = find_reason(data.find("reason").text()); reason && !agent) {
    return refusal(*reason, data, message, code);
  }
  JsonMembers told;
  told.add("source", agent ? "agent" : "gateway");
  const JsonValue said = agent ? agent : data;
  if (said.is(JsonType::object)) {
    for (const JsonValue member : said) {
      if (member.key() != "source") told.add_raw(member.key(), member.raw());
    }
  } else if (said) {
    told.add_raw("value", said.raw());
  }
  return {.code = code, .message = std::string(message), .data = std::move(told).text()};
}

std::string write_execution(JsonValue result) {
  const JsonValue said = result.find("structuredContent");
  if (said.is(JsonType::object)) return std::string(said.raw());
  JsonMembers told;
  const bool is_error = result.find("isError").boolean().value_or(false);
  told.add("status", is_error ? "error" : "success")
      .add("output", texts_of_content(result.find("content")));
  return std::move(told).text();
}

std::string write_proxied(JsonValue result, std::string_view inner_id) {
  return write_result(inner_id, result.raw());
}

Told told_result(JsonValue result, const FabricoreRequest& request) {
  const JsonValue meta = result.find("_meta");
  for (const std::string_view name : {"bartizan/denial", "bartizan/withheld"}) {
    const JsonValue denial = meta.find(name);
    const auto reason = find_reason(denial.find("reason").text());
    if (reason.has_value()) {
      return refusal(*reason, denial, texts_of_content(result.find("content")), kInternalError);
    }
  }
  return {.result = request.method == FabricoreRequest::Method::proxy
                        ? write_proxied(result, request.inner_id)
                        : write_execution(result)};
}

std::optional<Told> read_told(JsonValue answer, const FabricoreRequest& request) {
  if (const JsonValue error = answer.find("error")) return told_error(error);
  if (const JsonValue result = answer.find("result")) return told_result(result, request);
  return std::nullopt;
}

int status_of(const Told& told) {
  if (told.result.has_value()) return 200;
  if (told.reason == Reason::limited) return 429;
  if (told.reason == Reason::server_unavailable || told.reason == Reason::overloaded) return 503;
  if (told.reason == Reason::server_timeout) return 504;
  if (told.code == kSecurityViolation) return 403;
  if (told.code == kInternalError) return 502;
  const bool is_of_tool = told.reason.has_value() && category(*told.reason) == ReasonCategory::tool;
  return is_of_tool ? 404 : 400;
}

}  // namespace

std::string write_fabricore_answer(std::string_view mcp, const FabricoreRequest& request) {
  const Bytes bytes{mcp};
  JsonDocument document;
  const JsonValue answer = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const auto told = read_told(answer, request);
  if (!told.has_value()) return std::string(mcp);
  const JsonValue id = answer.find("id");
  const std::string_view id_json = id ? id.raw() : std::string_view("null");
  return told->result.has_value()
             ? write_result(id_json, *told->result)
             : write_error(id_json, static_cast<int>(told->code), told->message, told->data);
}

FabricoreResponse write_fabricore_response(std::string_view mcp, const FabricoreRequest& request) {
  const Bytes bytes{mcp};
  JsonDocument document;
  const JsonValue answer = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const auto told = read_told(answer, request);
  if (!told.has_value()) return {.status = 502, .body = R"({"error":"no answer"})"};
  if (told->result.has_value()) return {.status = 200, .body = *told->result};
  JsonMembers error;
  error.add("code", told->code).add("message", told->message);
  if (!told->data.empty()) error.add_raw("data", told->data);
  JsonMembers body;
  body.add_raw("error", std::move(error).text());
  return {.status = status_of(*told), .body = std::move(body).text()};
}

}  // namespace bartizan
