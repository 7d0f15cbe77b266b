#pragma once

#include <expected>
#include <optional>
#include <variant>
#include <vector>

#include "gateway/call/call_frame.h"
#include "gateway/call/resolve_target.h"

namespace bartizan {

// The steps of handle_call.cc, each in a source of its own name. Each takes the frame, does one
// thing, and returns to the conductor.

/// What callers are told of a request for approval.
struct ApprovalNews {
  std::string id;
  std::string url = {};  ///< Of its page; empty where there is none, or nobody is to be sent there.
  /// Parameters of an elicitation by which the caller's own user answers; empty where none may.
  std::string form = {};
};

/// What an answer to a refused call says beside the reason.
struct RefusalDetail {
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  std::string detail = {};  ///< What failed, for callers of trust `system`.
  /// What a transport with statuses says of it, where that is more than 200.
  std::shared_ptr<const AnswerStatus> status = nullptr;
  std::optional<ApprovalNews> approval = std::nullopt;
  std::string record_detail = {};  ///< For the record alone.
};

/// The answer to a caller who was refused too often: it is only counted, and names no decision.
Answer answer_limited(const CallFrame& frame);
/// Ends the call with a refusal: records it and answers it; or, where the caller was refused too
/// often, only counts it. (refuse_call.cc)
Task<void> refuse_call(CallFrame& frame, Denial denial, RefusalDetail news = {});
Task<void> refuse_call(CallFrame& frame, Reason reason);

/// Rewrites what changes a message's meaning, before it is judged: client features that the server
/// may not use are taken out of a modern message; tokens in arguments become what they stand for;
/// they get the names that the server reads; what redactions let nobody send is taken out of them,
/// and they become what profiles force and compact. `none`, or why that cannot be done.
/// (prepare_call.cc)
Reason prepare_call(CallFrame& frame);

/// Makes of another text what the call is from now on. What it was made of stays what came in.
/// (prepare_call.cc)
Reason replace_call(CallFrame& frame, std::string text);
/// Whether the policy would send the call with other arguments than it has. (prepare_call.cc)
bool would_be_rewritten(CallFrame& frame);

/// What policy asks of the world outside about this call, beyond what is known already; nothing
/// where it has asked so often that the rest stays unknown. (gather_facts.cc)
std::vector<FactQuery> unresolved_facts(const CallFrame& frame);
/// Finds that out. What was found for the call before may then be gone, and the answers may lead to
/// more questions. (gather_facts.cc)
Task<void> gather_facts(CallFrame& frame, std::vector<FactQuery> questions);
/// What was found out of a call that is judged anew is too old. (gather_facts.cc)
void forget_facts(CallFrame& frame);
/// Remembers a call as its client sent it, where calls are captured. (call_capture.cc)
void begin_capture(CallFrame& frame);
/// The call comes to the limits, or is refused before: its place among the others.
/// (call_capture.cc)
void capture_turn(CallFrame& frame);
/// It has taken from the limits what it needs. (call_capture.cc)
void capture_taken(CallFrame& frame);
/// It leaves by the approvals that it has. (call_capture.cc)
void capture_approvals(CallFrame& frame);
/// It gives back what it took. (call_capture.cc)
void capture_end(CallFrame& frame);
/// What was decided about it; the last word counts. (call_capture.cc)
void capture_decision(CallFrame& frame, const Judgement& judgement, std::string_view pointer = {});
/// Hands it over to be kept, when it ends. (call_capture.cc)
void finish_capture(CallFrame& frame);

/// Requests of a server's within one call, or one subscription, that are refused singly, each on
/// record. A server may ask for ever, and the record is not its to fill: beyond, they are counted.
inline constexpr std::uint32_t kRefusedSinglyMax = 64;

/// What the gateway answers itself, once judged: introductions, `ping`, lists. (answer_*.cc)
Task<void> answer_initialize(CallFrame& frame);
Task<void> answer_discover(CallFrame& frame);
/// (answer_list.cc)
Task<void> answer_list(CallFrame& frame);
/// The end of a result object of that era: what modern results carry and legacy ones do not.
std::string result_ending(Era era);

/// Waits for the caller's servers that are starting, as long as the configuration says: a client
/// asks for its lists right after it has started everything. What is waited for is judged
/// afterwards, by the policy of then. (await_servers.cc)
Task<void> await_servers(CallFrame& frame);

/// Whether the gateway answers this method itself.
bool is_answered_here(MethodId method);
/// Whether it asks for one of the lists, which may take many turns of the loop to write.
bool is_list(MethodId method);
Task<void> answer_here(CallFrame& frame);

/// Judges a call once more, of which the answer is to be sent again: all that could refuse it when
/// it came but the limits. Answers the rule that permits it, which may be null. (judge_call.cc)
Task<std::variant<const RuleInfo*, Denial>> judge_again(CallFrame& frame);

/// One permitted copy of the call for one server.
struct Outgoing {
  UpstreamHandle upstream;
  OutboundRequest request;
};

/// Whether the worker has another configuration than the call, by its text or by its servers: after
/// a wait the call is not judged by its own any more. (handle_call.cc)
bool is_outdated(const CallFrame& frame);
/// Whether the worker has another configuration than `snapshot`, by its text or by its servers.
/// (handle_call.cc)
bool is_outdated(const Worker& worker, const SnapshotPtr& snapshot);

/// Tells the exchange under which id the call of a tool was decided. (handle_call.cc)
void tell_decision(CallFrame& frame);
/// Judges the call, once for each server that it goes to. (judge_call.cc)
std::variant<std::vector<Outgoing>, Denial> judge_call(CallFrame& frame);

/// Whether what was read before rules out what has these labels. (follow_flow.cc)
Decision judge_flow(const CallFrame& frame, const std::vector<ToolLabel>& labels);
/// Gives the call the class of those before it, where a rule asks for that. (follow_flow.cc)
void follow_chain(CallFrame& frame);
/// From now on the call counts as one that read what the labels of its target say. Errors:
/// overloaded, where a flow looks for them. (follow_flow.cc)
Result<void> follow_flow(const CallFrame& frame);

/// Notes when to try again a server that failed too often, or that the call may pass: it then
/// leaves with its outcome, the lists included that it waits for. (check_circuit.cc)
void enter_circuit(CallFrame& frame);
void leave_circuit(CallFrame& frame, Outcome outcome);

/// Counts in the metrics what the server did for the call, of which the gateway is the client, and
/// how long that took since `sent_at`.
/// Input: an ending that says when. (check_circuit.cc)
void count_client_operation(const CallFrame& frame, const Ending& ending,
                            std::chrono::steady_clock::time_point sent_at);

/// Why a permitted call can go to no server all the same: there is none, or two things have the
/// name that was called. (judge_call.cc)
std::optional<Reason> refusal_of_target(const CallFrame& frame,
                                        const std::vector<Outgoing>& outgoing);

/// Judges a call anew that is to be sent once more, after a modern server found that a header does
/// not fit its tool: the list of tools is read again, and the call judged with what it says now;
/// also after a server has begun anew that did nothing with the call. Answers what to send, or why
/// it may not be sent; `Reason::none` where it was sent twice already, or who asked may not any
/// more. Source: MCP 2026-07-28, streamable-http. (judge_call.cc)
Task<std::expected<Outgoing, Denial>> renew_call(CallFrame& frame);

/// Sends the permitted copies, passes on what their servers send, records the outcome and answers.
/// (relay.cc)
Task<void> relay_answers(CallFrame& frame, std::vector<Outgoing> outgoing);

/// Judges what an answer of a server asks of the client: `inputRequests` of a result, and the URLs
/// of an error that wants users sent to them. Each, up to the first that is refused, is on record
/// like a request of its own. Answers that refusal, or that one could not be recorded.
/// (input_requests.cc)
/// Source: MCP 2026-07-28, basic/patterns, "Multi Round-Trip Requests"; 2025-11-25,
/// client/elicitation, "URL Elicitation Required Error".
Task<Decision> judge_input_requests(CallFrame& frame, const Message& answer);
/// Records what was decided about a request of the server's, under an id of its own.
/// (relay_request.cc)
Task<Result<void>> record_server_request(CallFrame& frame, const Message& request,
                                         const DecisionId& id, const Judgement& judgement);

/// What the client of a call said that it can do for servers. (relay_request.cc)
DeclaredFeatures frame_features(const CallFrame& frame);
/// A request of the server's within a call, ready to be judged; views `message`.
/// (relay_request.cc)
Call server_call(const CallFrame& frame, const Message& message, SealedBytes bytes,
                 const DeclaredFeatures& declared);
/// Who asks the client for something: a server, or what stands in its place for clients of its
/// era.
struct ServerRoute {
  const UpstreamHandle& upstream;
  const std::shared_ptr<BridgedCall>& bridge;  ///< Null where the server is of the client's era.
};
/// Passes a server's request on to the client, or refuses it to the server. (relay_request.cc)
Task<void> relay_server_request(CallFrame& frame, ServerRoute server, ReceivedMessage received);

/// Refuses it to the server, since a redaction lets nothing of it pass. (relay_request.cc)
Task<void> withhold_server_request(CallFrame& frame, ServerRoute server, const Message& request);

/// A client's answer to a server's request. (relay_request.cc)
Task<void> pass_answer(CallFrame& frame);

/// A client's notification. (pass_notification.cc)
Task<void> pass_notification(CallFrame& frame);

/// Ends the exchange with a result that the gateway made, on record. False when it could not be
/// recorded, and was refused instead.
/// Input: `memory`, what was held for a large one.
Task<bool> finish_with_result(CallFrame& frame, std::string_view result_json,
                              std::string session_id = {}, MemoryShares::Held memory = {});

}  // namespace bartizan
