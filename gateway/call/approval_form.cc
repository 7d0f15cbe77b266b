#include "gateway/call/approval_form.h"

#include <utility>

#include <fmt/format.h>

#include "gateway/approval/approval_desk.h"
#include "gateway/approval/shown_call_text.h"
#include "gateway/bridge/message_text.h"
#include "gateway/call/ask_approval.h"
#include "gateway/call/signed_answer.h"
#include "gateway/runtime/clock.h"
#include "policy/check/check_features.h"
#include "schemas/json/json_text.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

/// How a caller is proved who started the process.
constexpr std::string_view kLocalUser = "local_user";
/// Forms of several modes are of this revision and later ones.
constexpr ProtocolVersion kFirstWithModes = ProtocolVersion::v2025_11_25;

bool shows_forms(const CallFrame& frame) {
  if (frame.session != nullptr) return frame.session->client_features.elicitation;
  const JsonValue meta = frame.inbound.received.message.meta;
  return read_declared_features(meta.find(meta_key::client_capabilities)).elicitation;
}

}  // namespace

bool may_show_form(const CallFrame& frame, const ApprovalRequest& request) {
  const bool is_local =
      kind_of(frame.inbound.transport).is_own_process && frame.inbound.caller.proof == kLocalUser;
  return is_local && frame.pending != nullptr && !frame.inbound.in_batch &&
         !frame.inbound.answers_only && shows_forms(frame) &&
         !refusal_of_approver(frame.policy(), request, frame.principal()).has_value();
}

std::string approval_form(const CallFrame& frame, const ApprovalRequest& request) {
  const Bytes bytes{std::string_view(request.shown)};
  JsonDocument document;
  const JsonValue shown = document.read(bytes, kResponseLimits).value_or(JsonValue());
  const std::string text =
      fmt::format("{} requires approval of your call to {}/{}.\n{}", request.rule, request.server,
                  request.target, shown_call_text(shown));
  std::string json = "{";
  if (frame.inbound.version >= kFirstWithModes) json += R"("mode":"form",)";
  json += R"("message":)" + json_string(text);
  return json + R"(,"requestedSchema":{"type":"object","properties":{"decision":{"type":"string",)"
                R"("title":"Decision","enum":["deny","approve"]}},"required":["decision"]}})";
}

FormAnswer read_form_answer(JsonValue result) {
  const std::string_view action = result.find("action").text();
  if (action == "decline") return FormAnswer::deny;
  if (action != "accept") return FormAnswer::none;
  const std::string_view decision = result.find("content").find("decision").text();
  if (decision == "approve") return FormAnswer::approve;
  return decision == "deny" ? FormAnswer::deny : FormAnswer::none;
}

FormAnswer form_answer_of(const CallFrame& frame, const ApprovalRequest& request) {
  const JsonValue params = frame.inbound.received.message.params;
  if (params.find("requestState").text() != std::string(kApprovalState) + request.id) {
    return FormAnswer::none;
  }
  return read_form_answer(params.find("inputResponses").find(kApprovalInput));
}

Task<std::optional<std::string>> count_form_answer(CallFrame& frame, const ApprovalRequest& request,
                                                   FormAnswer answer) {
  co_return co_await count_answer(frame, request, frame.principal(),
                                  {.approves = answer == FormAnswer::approve,
                                   .why = "answered in a form",
                                   .proof_of_caller = frame.inbound.caller.proof});
}

void ShownForm::answer(std::string_view /*id_json*/, Permit answer) {
  const MessageText text(answer.bytes());
  answered_ = read_form_answer(text.message.result);
  held_->wake();
}

void ShownForm::refuse(std::string_view /*id_json*/) {
  answered_ = FormAnswer::none;
  held_->wake();
}

Task<std::shared_ptr<ShownForm>> show_form(CallFrame& frame, const ApprovalRequest& request) {
  Session* const session = frame.session.get();
  if (session == nullptr || session->server_requests.size() >= limits::stream_queue_messages_max) {
    co_return nullptr;
  }
  const std::uint64_t number = ++session->last_server_request;
  const MessageText text(
      write_request(std::to_string(number), "elicitation/create", approval_form(frame, request)));
  const DecisionId id = frame.worker.next_decision_id();
  const Result<void> recorded = co_await record_server_request(
      frame, text.message, id, {.decision = "permit", .rule = request.rule, .check = "approvals"});
  if (!recorded.has_value()) co_return nullptr;
  auto form = std::make_shared<ShownForm>(frame.pending);
  session->server_requests.emplace(number, ServerRequest{.upstream = {},
                                                         .bridge = form,
                                                         .server = std::string(frame.call.server),
                                                         .id_json = std::to_string(number),
                                                         .decision_id = id,
                                                         .method = text.message.known->name,
                                                         .labels = {}});
  frame.server_requests.push_back(number);
  frame.exchange->send(std::string(text.bytes.view()));
  co_return form;
}

}  // namespace bartizan
