#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/call_steps.h"

namespace bartizan {

/// The prefix of the gateway's own members in requests to clients.
inline constexpr std::string_view kApprovalInput = "bartizan/approval";
/// The prefix of the gateway's own `requestState`; the request's id follows. It grants nothing:
/// approvals are found by the call itself.
inline constexpr std::string_view kApprovalState = "bartizan.approval.";

/// The result for a call that needs an approval, by a rule or a flow.
struct AskedApproval {
  enum class Kind : std::uint8_t {
    judge_anew,  ///< It is approved, and the frame has the approvals; or the policy has changed.
    refused,     ///< It is not approved, or would be refused in any case.
    cancelled,  ///< Its client disconnected while it was held. Nothing was sent; the request stays.
  } kind = Kind::refused;
  Denial denial = {};
  RefusalDetail news = {};
};

/// Looks for an approval of exactly this call. If there is none, it asks people, and holds the call
/// for `[approvals] wait`. Nobody is asked about a call that would be refused in any case, or whose
/// refusal is hidden.
///
/// Input: the frame as it was judged, and the denial.
/// Cost:  the state file, on its own thread, for each look.
Task<AskedApproval> ask_approval(CallFrame& frame, Denial denial);

/// Whether the approvals of the call still fit it exactly, and their approvers may still approve.
/// Cost: a canonical copy of its parameters, if it has approvals.
bool has_present_approvals(const CallFrame& frame);

/// Uses the approvals of a permitted call, each once. They are on record and then on the disk when
/// this returns. Returns nothing if all were used, otherwise the denial.
Task<std::optional<Denial>> use_approvals(CallFrame& frame);

/// The response details for a call that waits for approval. Input: `difference`, for the record.
/// (answer_asking.cc)
RefusalDetail waiting_news(const CallFrame& frame, const ApprovalRequest& request,
                           std::string difference);
/// Sends progress to a client whose call waits for approval, if it asked for progress. Input:
/// `number`, which increases each time. (answer_asking.cc)
void tell_waiting(CallFrame& frame, std::uint64_t number, std::string_view id);

/// The response that asks a client to show its user the form, or to open the page. For a modern
/// client it is a result with `inputRequests`, for a legacy client the error of URL elicitation.
/// Nothing if the client cannot do that, was asked already, or must get a refusal.
/// Input: `data_json` and `sentence`, those of a refusal.
/// Source: MCP 2026-07-28, basic/patterns, "Multi Round-Trip Requests"; 2025-11-25,
/// client/elicitation, "URL Elicitation Required Error".
std::optional<Answer> answer_asking(const CallFrame& frame, const ApprovalNews& approval,
                                    std::string_view sentence, std::string_view data_json);

/// Whether a `requestState` is one of the gateway's own.
bool is_own_state(JsonValue state);

/// Removes from a call the members for the gateway: those that its own responses asked for, and
/// decisions that were signed elsewhere. `none`, or why that cannot be done.
/// (withhold_own_members.cc)
Reason withhold_own_members(CallFrame& frame);

}  // namespace bartizan
