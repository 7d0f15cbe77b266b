#include "gateway/call/signed_answer.h"

#include <fmt/format.h>

#include <utility>

#include "gateway/approval/approval_desk.h"
#include "gateway/approval/signed_approval.h"
#include "gateway/call/ask_approval.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"

namespace bartizan {
namespace {

using Kind = AnsweredApproval::Kind;

/// Why an answer that was given does not count; empty where it does.
std::string why_not(const AnsweredApproval& answered) {
  switch (answered.kind) {
    case Kind::counted:
      return "";
    case Kind::unknown:
      return "its request is not known any more";
    case Kind::decided:
      return fmt::format("its request is {} already", text(answered.request.state));
    case Kind::again:
      return "its approver has approved already, and counts once";
    case Kind::answered:
      return "its approver has said the contrary already";
  }
  return "";
}

/// Whether an operator has put out whom the key is.
bool is_put_out(const CallFrame& frame, std::string_view principal) {
  const auto& revocations = frame.worker.gateway.revocations;
  return revocations != nullptr && revocations->refusal_of(principal, Credential()) != Reason::none;
}

}  // namespace

std::optional<std::string_view> signed_approval_of(const CallFrame& frame) {
  const JsonValue params = frame.inbound.received.message.params;
  if (const JsonValue own = params.find("_meta").find(kApprovalInput)) return own.text();
  const JsonValue other = params.find(kApprovedBy);
  if (other && is_own_approval(other)) return other.text();
  return std::nullopt;
}

bool is_own_approval(JsonValue member) {
  return member.key() == kApprovedBy && member.is(JsonType::string) &&
         is_signed_approval(member.text());
}

Task<std::optional<std::string>> count_answer(CallFrame& frame, const ApprovalRequest& pending,
                                              const Principal& approver, GivenAnswer given) {
  if (is_put_out(frame, approver.id)) co_return "its approver was revoked or blocked";
  auto refusal = refusal_of_approver(frame.policy(), pending, approver);
  if (refusal.has_value()) co_return refusal;
  ApprovalAnswer answer{.request = pending.id,
                        .approver = approver.id,
                        .roles = approver.roles,
                        .person = std::string(frame.policy().persons().person_of(approver.id)),
                        .approves = given.approves,
                        .why = std::string(given.why),
                        .proof = std::move(given.signed_text),
                        .at = seconds_now()};
  ApprovalActor by{.principal = approver.id,
                   .roles = approver.roles,
                   .proof = std::move(given.proof_of_caller),
                   .source = frame.inbound.source,
                   .transport = kind_of(frame.inbound.transport).name,
                   .endpoint = std::string(frame.call.facts.endpoint.value_or(""))};
  const auto answered = co_await frame.worker.gateway.approvals->answer(
      frame.worker.loop, std::move(answer), std::move(by));
  if (!answered.has_value()) co_return "it cannot be kept: " + answered.error().detail;
  std::string why = why_not(*answered);
  if (why.empty()) co_return std::nullopt;
  co_return why;
}

Task<std::optional<std::string>> answer_signed(CallFrame& frame, std::string text,
                                               std::optional<ApprovalRequest> pending) {
  // What a reload takes away meanwhile was there when the call was judged.
  const ApprovalKeysPtr keys = frame.snapshot().approval_keys;
  if (keys == nullptr) co_return "there are no keys of [approvals]";
  const auto signer = check_signed_approval(
      text, keys->signers, pending.has_value() ? &*pending : nullptr, seconds_now());
  if (!signer.has_value()) co_return signer.error();
  const PrincipalPtr approver = frame.policy().find_principal((*signer)->principal);
  if (approver == nullptr) co_return "its approver is not configured";
  co_return co_await count_answer(frame, *pending, *approver,
                                  {.approves = true,
                                   .why = "signed elsewhere",
                                   .proof_of_caller = "approval_key:" + (*signer)->name,
                                   .signed_text = std::move(text)});
}

}  // namespace bartizan
