#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/call/call_steps.h"

namespace bartizan {

/// How the members of the gateway's own begin in what its answers ask of clients.
inline constexpr std::string_view kApprovalInput = "bartizan/approval";
/// How a `requestState` of the gateway's own begins; the request's id follows. It grants nothing:
/// what is approved is found by the call itself.
inline constexpr std::string_view kApprovalState = "bartizan.approval.";

/// What became of a call that a rule, or a flow, wants approved.
struct AskedApproval {
  enum class Kind : std::uint8_t {
    judge_anew,  ///< It is approved, and the frame has by whom; or the policy is another one.
    refused,     ///< It is not, or not yet, or would be refused all the same.
    cancelled,   ///< Its client went away while it was held. Nothing was sent; the request stays.
  } kind = Kind::refused;
  Denial denial = {};
  RefusalDetail news = {};
};

/// Looks for an approval of exactly this call, asks people for one where there is none, and holds
/// the call as long as `[approvals] wait` says. Nobody is asked about a call that would be refused
/// all the same, or whose refusal is hidden.
///
/// Input: the frame as it was judged, and the denial.
/// Cost:  the state file, on its own thread, for each look.
Task<AskedApproval> ask_approval(CallFrame& frame, Denial denial);

/// Whether the approvals that the call was judged by are for exactly what it is now, by approvers
/// who may still approve. Cost: a canonical copy of its parameters, where it has any.
bool has_present_approvals(const CallFrame& frame);

/// Uses the approvals that a permitted call was judged by, each once: on record, and then on the
/// disk, when this answers. Nothing where all were used, or the denial.
Task<std::optional<Denial>> use_approvals(CallFrame& frame);

/// What the caller of a call that waits for people is told. Input: `difference`, for the record.
/// (answer_asking.cc)
RefusalDetail waiting_news(const CallFrame& frame, const ApprovalRequest& request,
                           std::string difference);
/// Tells a client that wants to know it that its call waits for people. Input: `number`, which
/// grows with each time. (answer_asking.cc)
void tell_waiting(CallFrame& frame, std::uint64_t number, std::string_view id);

/// The answer that asks a client to show its user the form of a request, or to send it to the page:
/// a result that wants input of a modern one, the error of URL elicitation of a legacy one; nothing
/// where the client cannot, was asked already, or has to be told by a refusal.
/// Input: `data_json`, what a refusal says; `sentence`, likewise.
/// Source: MCP 2026-07-28, basic/patterns, "Multi Round-Trip Requests"; 2025-11-25,
/// client/elicitation, "URL Elicitation Required Error".
std::optional<Answer> answer_asking(const CallFrame& frame, const ApprovalNews& approval,
                                    std::string_view sentence, std::string_view data_json);

/// Whether a `requestState` is one of the gateway's own.
bool is_own_state(JsonValue state);

/// Takes out of a call what is for the gateway: what its own answers had the client add, and
/// decisions that were signed elsewhere. `none`, or why that cannot be done.
/// (withhold_own_members.cc)
Reason withhold_own_members(CallFrame& frame);

}  // namespace bartizan
