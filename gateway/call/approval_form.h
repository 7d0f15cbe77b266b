#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/bridge/bridged_call.h"
#include "gateway/call/call_frame.h"
#include "gateway/store/approvals.h"

namespace bartizan {

// A form in which the user of the gateway's own process approves a call. It is offered over
// standard input only: whoever started the process is that user, and no server holds the pipe. A
// remote agent could fill in such a form itself.

/// The user's answer in the form.
enum class FormAnswer : std::uint8_t {
  none,  ///< The form was closed, or the answer has no decision.
  approve,
  deny,
};

/// Whether the caller of that frame may answer that request, and its client shows forms: the caller
/// is the local user, one of the approvers, and the rule lets callers approve their own calls.
bool may_show_form(const CallFrame& frame, const ApprovalRequest& request);

/// The parameters of `elicitation/create` for that request: one JSON object. Its text is printable
/// ASCII and has the whole call. No answer is preselected.
/// Source: MCP 2025-11-25, client/elicitation, "Form Mode Elicitation Requests".
std::string approval_form(const CallFrame& frame, const ApprovalRequest& request);

/// Input: an `ElicitResult`. Source: MCP 2025-11-25, client/elicitation, "Response Actions".
FormAnswer read_form_answer(JsonValue result);

/// The answer of a modern client to the form of that request, which an earlier response showed;
/// `none` if there is no answer.
FormAnswer form_answer_of(const CallFrame& frame, const ApprovalRequest& request);

/// Counts the answer of the caller's user as an approver's. Returns nothing if it counts; otherwise
/// the reason, for the record.
Task<std::optional<std::string>> count_form_answer(CallFrame& frame, const ApprovalRequest& request,
                                                   FormAnswer answer);

/// A form that is shown to a legacy client. It is handled like a server's request, so the client's
/// answer is judged and recorded like any other.
///
/// Threads: those of the call.
class ShownForm final : public BridgedCall {
 public:
  explicit ShownForm(std::shared_ptr<PendingCall> held) : held_(std::move(held)) {}

  void call(OutboundRequest&& /*request*/, std::shared_ptr<PendingCall> /*client*/) override {}
  void cancel() override {}
  void answer(std::string_view id_json, Permit answer) override;
  void refuse(std::string_view id_json) override;

  /// The answer; nothing while there is none.
  std::optional<FormAnswer> answered() const { return answered_; }

 private:
  std::shared_ptr<PendingCall> held_;  ///< Woken by an answer.
  std::optional<FormAnswer> answered_;
};

/// Shows the form to the client of a held legacy call, after a record of that. Null if it cannot be
/// recorded. Cost: one record.
Task<std::shared_ptr<ShownForm>> show_form(CallFrame& frame, const ApprovalRequest& request);

}  // namespace bartizan
