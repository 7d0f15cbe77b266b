// The refusals of messages on a wire, before any call is known.
#include "gateway/client/wire_client.h"
#include "gateway/dialect/groundhog_answer.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// Counts a refusal, and records it within the quota. Returns the id of the record; nothing if it
/// was not recorded.
std::optional<DecisionId> WireClient::note(Reason reason, std::string_view detail) {
  if (!worker_.gateway.refusals.admit_address(terms_.network, steady_now())) return std::nullopt;
  const DecisionId id = worker_.next_decision_id();
  Record record{.kind = RecordKind::refusal, .time = system_now()};
  record.decision_id = id.view();
  record.source = terms_.source;
  record.transport = kind_of(terms_.transport).name;
  if (terms_.endpoint.has_value()) record.endpoint = *terms_.endpoint;
  if (caller_.principal != nullptr) record.principal = caller_.principal->id;
  record.decision = "deny";
  record.reason = text(reason);
  record.category = text(category(reason));
  record.detail = detail;
  worker_.recorder.note(record);
  return id;
}

/// Sends a message that is not the response to a call.
void WireClient::write(std::string message) {
  if (terms_.speaks_groundhog) {
    message = write_groundhog_answer(message, {.now = system_now()});
  }
  wire_->write(std::move(message));
}

/// Responds to an invalid message, or to one that is not allowed here.
void WireClient::reject(ErrorCode code, std::string_view text, std::string_view id_json,
                        std::string_view data_json) {
  note(protocol_reason(code), text);
  const std::string_view id =
      id_json.empty() ? absent_id(is_modern_ ? Era::modern : Era::legacy) : id_json;
  write(answer_protocol_error(code, text, id, data_json).message);
}

/// Responds to a request that cannot be handled now; other messages get no response.
void WireClient::deny(Reason reason, std::string_view detail, const Message& message, Era era) {
  const std::optional<DecisionId> id = note(reason, detail);
  if (!message.is_request()) return;
  const PrincipalPtr& principal = caller_.principal;
  write(answer_denial({.reason = reason,
                       .decision_id = id.has_value() ? id->view() : std::string_view(),
                       .id_json = message.id.raw(),
                       .era = era,
                       .trust = principal != nullptr ? principal->trust : Trust::untrusted,
                       .detail = detail})
            .message);
}

/// Responds to a message that begins no call. Input: `message`, empty for a batch.
void WireClient::refuse(const MessageRefusal& refusal, const Message& message, Era era) {
  if (refusal.cause == MessageRefusal::Cause::protocol) {
    return reject(refusal.code, refusal.detail, refusal.id_json, refusal.data_json);
  }
  deny(refusal.reason, refusal.detail, message, era);
}

}  // namespace bartizan
