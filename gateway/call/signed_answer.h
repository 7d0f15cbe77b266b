#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/store/approvals.h"

namespace bartizan {

/// Beside `arguments`: where a decision that was signed elsewhere may stand as well. Source: seed
/// 002, "Native Tool Execution".
inline constexpr std::string_view kApprovedBy = "approved_by";

/// The decision in the call that was signed elsewhere: `_meta["bartizan/approval"]`, or
/// `approved_by` if it has the form of one. Nothing if there is none; empty if it is not a text.
/// Lifetime: that of the frame.
std::optional<std::string_view> signed_approval_of(const CallFrame& frame);

/// Whether the member is a decision for the gateway, and not for the server. Input: a member of
/// `params`.
bool is_own_approval(JsonValue member);

/// An answer in a call, with its approver.
struct GivenAnswer {
  bool approves = true;
  std::string_view why;
  std::string proof_of_caller;   ///< The proof of the approver, for the record.
  std::string signed_text = {};  ///< The signed decision, where there is one.
};

/// Counts the answer of an approver. Returns nothing if it counts; otherwise the reason, for the
/// record.
Task<std::optional<std::string>> count_answer(CallFrame& frame, const ApprovalRequest& pending,
                                              const Principal& approver, GivenAnswer given);

/// Counts a decision that was signed elsewhere as the answer of the key's owner. Returns nothing if
/// it counts; otherwise the reason, for the record.
///
/// Input: `pending`, the request for exactly this call.
Task<std::optional<std::string>> answer_signed(CallFrame& frame, std::string text,
                                               std::optional<ApprovalRequest> pending);

}  // namespace bartizan
