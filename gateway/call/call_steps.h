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

/// The details of a request for approval, for its caller.
struct ApprovalNews {
  std::string id;
  std::string url = {};  ///< Its page; empty if there is none, or the caller must not open it.
  /// Parameters of an elicitation by which the caller's own user answers; empty where none may.
  std::string form = {};
};

/// The details of a refusal besides its reason.
struct RefusalDetail {
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  std::string detail = {};  ///< What failed, for callers of trust `system`.
  /// The HTTP status and headers, if the status is not 200.
  std::shared_ptr<const AnswerStatus> status = nullptr;
  std::optional<ApprovalNews> approval = std::nullopt;
  std::string record_detail = {};  ///< For the record alone.
};

/// The response to a caller who was refused too often. The refusal is only counted, and has no
/// decision id.
Answer answer_limited(const CallFrame& frame);
/// Ends the call with a refusal, which is recorded. If the caller was refused too often, it is only
/// counted. (refuse_call.cc)
Task<void> refuse_call(CallFrame& frame, Denial denial, RefusalDetail news = {});
Task<void> refuse_call(CallFrame& frame, Reason reason);

/// Makes the rewrites that change a message's meaning, before it is judged. Client features that
/// the server may not use are removed from a modern message. In the arguments, tokens are replaced
/// by their values, names become those that the server reads, redactions are applied, and values
/// are forced and compacted. `none`, or why that cannot be done. (prepare_call.cc)
Reason prepare_call(CallFrame& frame);

/// Replaces the text of the call. The received message stays unchanged. (prepare_call.cc)
Reason replace_call(CallFrame& frame, std::string text);
/// Whether the policy would send the call with other arguments than it has. (prepare_call.cc)
bool would_be_rewritten(CallFrame& frame);

/// The open questions of policy about this call. Nothing if facts were gathered too often: the rest
/// then stays unknown. (gather_facts.cc)
std::vector<FactQuery> unresolved_facts(const CallFrame& frame);
/// Answers these questions. The call's target may be outdated afterwards, and the answers may lead
/// to more questions. (gather_facts.cc)
Task<void> gather_facts(CallFrame& frame, std::vector<FactQuery> questions);
/// Drops the facts of a call that is judged again. (gather_facts.cc)
void forget_facts(CallFrame& frame);
/// Stores the received call, if calls are captured. (call_capture.cc)
void begin_capture(CallFrame& frame);
/// Notes the order of the call: it reaches the limits, or is refused before. (call_capture.cc)
void capture_turn(CallFrame& frame);
/// Notes that the limits were charged. (call_capture.cc)
void capture_taken(CallFrame& frame);
/// Notes the approvals with which it leaves. (call_capture.cc)
void capture_approvals(CallFrame& frame);
/// Notes that its limits were released. (call_capture.cc)
void capture_end(CallFrame& frame);
/// Notes the decision; the last one counts. (call_capture.cc)
void capture_decision(CallFrame& frame, const Judgement& judgement, std::string_view pointer = {});
/// Gives the call to the capture, when it ends. (call_capture.cc)
void finish_capture(CallFrame& frame);

/// How many refused requests of a server are recorded one by one, within one call or subscription.
/// Further ones are counted, so that a server cannot fill the record.
inline constexpr std::uint32_t kRefusedSinglyMax = 64;

/// Requests that the gateway answers itself, after they are judged: handshakes, `ping`, lists.
/// (answer_*.cc)
Task<void> answer_initialize(CallFrame& frame);
Task<void> answer_discover(CallFrame& frame);
/// (answer_list.cc)
Task<void> answer_list(CallFrame& frame);
/// `serverInfo` for this client, a JSON object: the gateway's own, or under `bartizan wrap` that of
/// the one server, sanitised and redacted.
std::string shown_identity(CallFrame& frame);
/// The end of a result object of the client's era: what modern results carry and legacy ones do
/// not.
std::string result_ending(CallFrame& frame);

/// Waits for the caller's servers that are starting, as long as the configuration says. A client
/// requests its lists right after it has started everything. The request is judged after the wait,
/// by the policy of that time. (await_servers.cc)
Task<void> await_servers(CallFrame& frame);

/// Whether the gateway answers this method itself.
bool is_answered_here(MethodId method);
/// Whether it requests a list, which may take many turns of the loop to write.
bool is_list(MethodId method);
Task<void> answer_here(CallFrame& frame);

/// Judges a call again before its response is resumed: everything but the limits. Returns the rule
/// that permits it, which may be null. (judge_call.cc)
Task<std::variant<const RuleInfo*, Denial>> judge_again(CallFrame& frame);

/// One permitted copy of the call for one server.
struct Outgoing {
  UpstreamHandle upstream;
  OutboundRequest request;
};

/// Whether the worker has another configuration than the call, by its text or by its servers. After
/// a wait, the call is then judged by the new one. (handle_call.cc)
bool is_outdated(const CallFrame& frame);
/// Whether the worker has another configuration than `snapshot`, by its text or by its servers.
/// (handle_call.cc)
bool is_outdated(const Worker& worker, const SnapshotPtr& snapshot);

/// Gives the exchange the decision id of a tool call. (handle_call.cc)
void tell_decision(CallFrame& frame);
/// Judges the call, once for each server that it goes to. (judge_call.cc)
std::variant<std::vector<Outgoing>, Denial> judge_call(CallFrame& frame);

/// Whether a data-flow rule refuses a tool with these labels, after the earlier calls.
/// (follow_flow.cc)
Decision judge_flow(const CallFrame& frame, const std::vector<ToolLabel>& labels);
/// Gives the call the class of earlier calls, if a rule has a condition on it. (follow_flow.cc)
void follow_chain(CallFrame& frame);
/// Sets the marks for the labels of the call's target. Errors: overloaded, if a flow needs the
/// marks and there is no room. (follow_flow.cc)
Result<void> follow_flow(const CallFrame& frame);

/// Asks the circuit breaker: notes when to try the server again, or that the call may pass. The
/// lists that the call waits for count too. (check_circuit.cc)
void enter_circuit(CallFrame& frame);
void leave_circuit(CallFrame& frame, Outcome outcome);

/// Counts the server's work for the call in the metrics of the gateway as a client, and its time
/// since `sent_at`.
/// Input: an ending that says when. (check_circuit.cc)
void count_client_operation(const CallFrame& frame, const Ending& ending,
                            std::chrono::steady_clock::time_point sent_at);

/// Why a permitted call cannot be sent: there is no server, or the called name is ambiguous.
/// (judge_call.cc)
std::optional<Reason> refusal_of_target(const CallFrame& frame,
                                        const std::vector<Outgoing>& outgoing);

/// Judges a call again that must be resent. Either a modern server refused a header: the list of
/// tools is then requested again. Or a server started anew without handling the call. Returns the
/// message to send, or why it may not be sent. `Reason::none`: it was sent twice already, or its
/// caller is no longer valid. Source: MCP 2026-07-28, streamable-http. (judge_call.cc)
Task<std::expected<Outgoing, Denial>> renew_call(CallFrame& frame);

/// Sends the permitted copies, relays the messages of their servers, records the outcome and
/// responds. (relay.cc)
Task<void> relay_answers(CallFrame& frame, std::vector<Outgoing> outgoing);

/// Judges the requests in a server's response: `inputRequests` of a result, and the URLs of an
/// error. Each is recorded like a request of its own, up to the first refusal. Returns that
/// refusal, or that a record failed. (input_requests.cc)
/// Source: MCP 2026-07-28, basic/patterns, "Multi Round-Trip Requests"; 2025-11-25,
/// client/elicitation, "URL Elicitation Required Error".
Task<Decision> judge_input_requests(CallFrame& frame, const Message& answer);
/// Records the decision about a server's request, with an id of its own. (relay_request.cc)
Task<Result<void>> record_server_request(CallFrame& frame, const Message& request,
                                         const DecisionId& id, const Judgement& judgement);

/// The features that the client of a call declared. (relay_request.cc)
DeclaredFeatures frame_features(const CallFrame& frame);
/// A request of the server's within a call, ready to be judged; views `message`.
/// (relay_request.cc)
Call server_call(const CallFrame& frame, const Message& message, SealedBytes bytes,
                 const DeclaredFeatures& declared);
/// The sender of a request to the client: a server, or its bridge.
struct ServerRoute {
  const UpstreamHandle& upstream;
  const std::shared_ptr<BridgedCall>& bridge;  ///< Null where the server is of the client's era.
};
/// Passes a server's request on to the client, or refuses it to the server. (relay_request.cc)
Task<void> relay_server_request(CallFrame& frame, ServerRoute server, ReceivedMessage received);

/// Refuses it to the server, because redaction withholds it. (relay_request.cc)
Task<void> withhold_server_request(CallFrame& frame, ServerRoute server, const Message& request);

/// A client's answer to a server's request. (relay_request.cc)
Task<void> pass_answer(CallFrame& frame);

/// A client's notification. (pass_notification.cc)
Task<void> pass_notification(CallFrame& frame);

/// Ends the exchange with a result of the gateway, and records it. False if the record failed and
/// the call was refused.
/// Input: `memory`, the reservation for a large result.
Task<bool> finish_with_result(CallFrame& frame, std::string_view result_json,
                              std::string session_id = {}, MemoryShares::Held memory = {});

}  // namespace bartizan
