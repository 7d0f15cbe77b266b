// What a client is asked for an approval by.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gateway/call/approval_form.h"
#include "gateway/call/ask_approval.h"
#include "policy/check/check_features.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// Whether the client of a modern call was asked by an answer of ours before.
bool was_asked(const CallFrame& frame) {
  return is_own_state(frame.inbound.received.message.params.find("requestState"));
}

bool is_asked_by_server(const CallFrame& frame) {
  const JsonValue params = frame.message().params;
  return params.find("inputResponses") || params.find("requestState");
}

bool can_be_sent_to_urls(const CallFrame& frame) {
  if (frame.session != nullptr) return frame.session->client_features.elicitation_urls;
  return read_declared_features(
             frame.inbound.received.message.meta.find(meta_key::client_capabilities))
      .elicitation_urls;
}

std::string elicitation(std::string_view url, std::string_view sentence, std::string_view id) {
  std::string json = R"({"mode":"url","url":)";
  append_json_string(json, url);
  json += R"(,"message":)";
  append_json_string(json, sentence);
  if (!id.empty()) {
    json += R"(,"elicitationId":)";
    append_json_string(json, id);
  }
  return json + '}';
}

/// Of a legacy client that wants its user sent somewhere first. Source: MCP 2025-11-25, schema,
/// "URLElicitationRequiredError".
constexpr int kUrlElicitationRequired = -32042;

/// When a caller is told to come again.
constexpr std::chrono::milliseconds kRetryAfter{5000};

/// Where people reach the page of a request; empty for nowhere.
std::string page_of(const CallFrame& frame, std::string_view id) {
  const std::string& configured = frame.snapshot().config.approvals.url;
  const std::string& base = configured.empty() ? frame.worker.gateway.console_url : configured;
  return base.empty() ? base : fmt::format("{}/approvals/{}", base, id);
}

}  // namespace

RefusalDetail waiting_news(const CallFrame& frame, const ApprovalRequest& request,
                           std::string difference) {
  ApprovalNews news{.id = request.id, .url = page_of(frame, request.id)};
  if (frame.inbound.era == Era::modern && may_show_form(frame, request)) {
    news.form = approval_form(frame, request);
  }
  return {.retry_after = kRetryAfter,
          .approval = std::move(news),
          .record_detail = std::move(difference)};
}

void tell_waiting(CallFrame& frame, std::uint64_t number, std::string_view id) {
  const JsonValue token = frame.message().progress_token;
  if (!token || frame.inbound.answers_only) return;
  std::string params =
      fmt::format(R"({{"progressToken":{},"progress":{},"message":)", token.raw(), number);
  append_json_string(params, fmt::format("waiting for approval {}", id));
  frame.exchange->send(write_notification("notifications/progress", params + "}"));
}

std::optional<Answer> answer_asking(const CallFrame& frame, const ApprovalNews& approval,
                                    std::string_view sentence, std::string_view data_json) {
  const bool is_request = frame.method() == MethodId::tools_call ||
                          frame.method() == MethodId::prompts_get ||
                          frame.method() == MethodId::resources_read;
  const bool is_told = frame.principal().trust >= Trust::community;
  const bool is_by_url = is_told && !approval.url.empty() && can_be_sent_to_urls(frame);
  if (!is_request || frame.inbound.answers_only || (approval.form.empty() && !is_by_url)) {
    return std::nullopt;
  }
  if (frame.inbound.era == Era::legacy) {
    // Its form was a request of its own, while the call was held.
    if (!is_by_url) return std::nullopt;
    std::string data = R"({"elicitations":[)" + elicitation(approval.url, sentence, approval.id);
    data += "]," + std::string(data_json.substr(1));
    return Answer{.message = write_error(frame.id_text, kUrlElicitationRequired, sentence, data)};
  }
  // Whoever was sent there once comes again too soon; what a server asked for would be lost.
  if (was_asked(frame) || is_asked_by_server(frame)) return std::nullopt;
  std::string result = R"({"resultType":"input_required","inputRequests":{")";
  result += kApprovalInput;
  result += R"(":{"method":"elicitation/create","params":)";
  result += approval.form.empty() ? elicitation(approval.url, sentence, "") : approval.form;
  result += R"(}},"requestState":)";
  append_json_string(result, std::string(kApprovalState) + approval.id);
  result += R"(,"_meta":{"bartizan/denial":)" + std::string(data_json) + "}}";
  return Answer{.message = write_result(frame.id_text, result)};
}

}  // namespace bartizan
