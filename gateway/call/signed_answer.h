#pragma once

#include <optional>
#include <string>

#include "gateway/call/call_frame.h"
#include "gateway/store/approvals.h"

namespace bartizan {

/// Beside `arguments`: where a decision that was signed elsewhere may stand as well. Source: seed
/// 002, "Native Tool Execution".
inline constexpr std::string_view kApprovedBy = "approved_by";

/// The decision that came with the call, signed elsewhere: `_meta["bartizan/approval"]`, or
/// `approved_by` where it has the form of one. Nothing where none came; what is no text is an empty
/// one. Lifetime: that of the frame.
std::optional<std::string_view> signed_approval_of(const CallFrame& frame);

/// Whether the member is a decision that is signed for the gateway, and not for the server. Input:
/// a member of `params`.
bool is_own_approval(JsonValue member);

/// An answer that came with a call, and by whose word.
struct GivenAnswer {
  bool approves = true;
  std::string_view why;
  std::string proof_of_caller;   ///< How whoever answers was proved, for the record.
  std::string signed_text = {};  ///< The signed decision, where there is one.
};

/// Counts the answer of an approver. Nothing where that is done; otherwise why not, for the record.
Task<std::optional<std::string>> count_answer(CallFrame& frame, const ApprovalRequest& pending,
                                              const Principal& approver, GivenAnswer given);

/// Counts a decision that was signed elsewhere as the answer of whom its key is. Nothing where that
/// is done; otherwise why not, for the record.
///
/// Input: `pending`, what waits for exactly this call.
Task<std::optional<std::string>> answer_signed(CallFrame& frame, std::string text,
                                               std::optional<ApprovalRequest> pending);

}  // namespace bartizan
