#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/record.h"
#include "gateway/bridge/request_state.h"
#include "gateway/dialect/groundhog_request.h"
#include "gateway/http/http_head.h"
#include "gateway/message/exchange.h"
#include "gateway/message/received_message.h"
#include "gateway/store/approvals.h"
#include "gateway/worker/session.h"
#include "gateway/worker/worker.h"
#include "policy/learn/capture.h"
#include "policy/redact/redactor.h"
#include "policy/sanitise/sanitiser.h"
#include "policy/verdict/call.h"
#include "policy/verdict/pipeline.h"

namespace bartizan {

/// One message as its transport hands it over: read, authenticated, its era decided.
struct Inbound {
  ReceivedMessage received;
  Era era = Era::legacy;
  ProtocolVersion version = kNewestLegacyVersion;
  SnapshotPtr snapshot;
  Authenticated caller;
  std::string source;
  Transport transport = Transport::http;
  std::string session_id;
  /// The bytes that `headers` looks into, where the transport has headers.
  std::shared_ptr<const HeadInBytes> head;
  std::optional<MirroredHeaders> headers;
  std::size_t bytes = 0;
  bool in_batch = false;
  /// The client takes what it is sent next for an answer: nothing else is sent, nor announced.
  bool answers_only = false;
  /// Of a request that the gateway repeats: the one server that it is for.
  std::string only_server = {};
  /// Of a call that was made before, and is judged again for what became of its task; else null.
  std::shared_ptr<OpenTask> of_task = {};
  /// What a Groundhog client asks beyond MCP; null for clients of MCP.
  std::shared_ptr<const GroundhogRequest> groundhog = {};
  std::chrono::steady_clock::time_point received_at;
};

/// What of the tools that a caller may call is asked for, where an endpoint has them searched.
struct ToolSearch {
  std::string words;     ///< Of `search_tools`; empty for any.
  std::string name;      ///< Of `describe_tool`; empty for a search.
  std::size_t most = 0;  ///< How many are answered.
  /// In whose members they are answered.
  enum class Form : std::uint8_t { mcp, groundhog } form = Form::mcp;
  /// Why nothing is looked for: what is wrong with the arguments, as a sentence. Empty otherwise.
  std::string_view fault = {};
};

/// Of where a client comes from, the address without port, brackets and zone: of `[::1]:4711`,
/// `::1`.
std::string_view address_of(std::string_view source);

/// What a call is for, as the lists of its servers have it. Found anew whenever policy, servers or
/// facts may have changed meanwhile: `CallFrame::forget_target`.
struct CallTarget {
  const ServerConfig* server = nullptr;  ///< Null where the call is for no single one.
  std::string name;                      ///< Owns `Call::target`.
  UriForm uri_form = UriForm::bare;      ///< In which the client named a resource.
  bool is_collision = false;             ///< Two things have the name that was called.
  std::string quarantine;                ///< Why its list has the tool and nobody may use it.
  UpstreamHandle upstream;
  std::shared_ptr<const ToolDefinition> tool;  ///< As its server lists it.
  /// As its server takes it, with the arguments that policy renames: `Facts::tool`.
  std::shared_ptr<const ToolDefinition> sent_tool;
  std::uint64_t listed_in = 0;            ///< The beginning of the server that listed the tool.
  std::optional<Error> unavailable;       ///< The server could not be asked for the tool.
  std::optional<Circuits::Pass> circuit;  ///< Of a server that has a breaker.
  /// Or when to try it again: nothing is asked of it until then.
  std::optional<std::chrono::milliseconds> circuit_retry;
};

/// What became of the message before it was judged. What came in stays as it was, so that it can be
/// rewritten anew: `CallFrame::undo_rewrites`.
struct CallRewrites {
  std::unique_ptr<JsonDocument> document;  ///< Of what the call is now; null where it is as sent.
  MemoryBudget::Reservation memory;        ///< For that.
  std::string sent_digest;                 ///< Of the arguments as sent, where they were changed.
  /// A redaction lets nobody send the arguments: who could call the tool is told that.
  bool withholds_arguments = false;
  std::vector<Redacted> restored_tokens;          ///< Of what the client sent, and …
  std::vector<Redacted> redacted_arguments;       ///< … of what that became.
  std::vector<Redaction::Token> restored_values;  ///< That its server was sent, and may repeat.
  /// Of a modern message, as far as its server may know; a legacy client's stand in its session.
  DeclaredFeatures client_features;
  /// Of a modern request that its client sends again with what its server wanted.
  std::optional<RequestState> request_state = {};
};

/// What was decided and seen: what the records of the call say.
struct CallFindings {
  const RuleInfo* rule = nullptr;  ///< That permitted the call.
  std::vector<Decision> observed;
  std::string weakness;  ///< What of its tool's schemas is not enforced.
  std::string task;      ///< Which call the task is of that is asked for: a sentence.
  std::string argument_digest, message_digest;
  std::uint64_t decide_ns = 0;
  std::uint32_t refused_requests = 0;  ///< Of the server's, within this call.
  std::size_t bytes_out = 0;
  std::uint64_t bytes_relayed = 0;  ///< Of all that servers sent about the call.
  /// When it left; nothing before.
  std::optional<std::chrono::steady_clock::time_point> sent_at;
  std::vector<Sanitised> sanitised;  ///< Of all that servers sent about the call.
  std::vector<Redacted> redacted;    ///< Of all that servers sent about the call.
};

/// How a call ended.
struct Ending {
  Outcome outcome = Outcome::success;
  Reason reason = Reason::none;
  std::int64_t rpc_code = 0;
  std::string detail = {};  ///< Where a result is not what it should be.
  /// What would have been refused, had policy wanted it.
  Reason would = Reason::none;
  /// When, where that was looked at already.
  std::optional<std::chrono::steady_clock::time_point> at = {};
};

/// What one call owns while it is handled: what came in, its target, its rewrites and the findings.
/// It is lent to each step in turn; a step changes the part that it is about.
///
/// Lifetime: what came in, and what the call views, stays until the end of the call.
/// Threads: the worker that handles the call.
struct CallFrame {
  /// Input: `inbound` is not null.
  CallFrame(Worker& worker, std::unique_ptr<Inbound> inbound, std::shared_ptr<Exchange> exchange);
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;
  ~CallFrame();

  const Message& message() const { return call.message; }
  MethodId method() const { return call.message.known->id; }
  const Snapshot& snapshot() const { return *inbound.snapshot; }
  const Policy& policy() const { return *inbound.snapshot->policy; }
  const Principal& principal() const { return *inbound.caller.principal; }
  /// A name that outlives the message, for a method that is known.
  std::string_view method_name() const;
  std::uint64_t age_us(std::chrono::steady_clock::time_point now) const;
  void abandon_server_request(std::uint64_t number);

  /// The call belongs to another snapshot from now on, and nothing is known of its target.
  void rebind(SnapshotPtr snapshot);
  /// Nothing is known of its target, or of tasks that it names.
  void forget_target();
  /// The call is what came in.
  void undo_rewrites();
  /// Nobody has approved the call: who has is to be found out anew.
  void forget_approvals();

  Worker& worker;
  /// Where its transport put it: it is large, and comes through several hands.
  const std::unique_ptr<Inbound> owned_inbound;
  Inbound& inbound;
  const SealedBytes received_bytes;  ///< Of the message that came in.
  const std::string id_text;         ///< The client's id as it spelled it; empty on notifications.
  const std::string client_name, client_version;  ///< Of a modern message's `clientInfo`.
  const std::string correlation_id;  ///< As the client gave it; empty where it did not.
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<Session> session;  ///< Of the legacy era, after `initialize`.
  DecisionId decision_id;
  /// What is judged: views what came in, its target and its rewrites.
  Call call;
  CallTarget target;
  CallRewrites rewrites;
  CallFindings findings;
  /// Of a list of tools that a search stands for (`discovery.h`).
  std::optional<ToolSearch> search;

  /// What the call has to do with tasks (`call_task.h`). Found anew with its target.
  struct TaskPart {
    /// That the request names, or that the call was answered with.
    std::shared_ptr<OpenTask> task = {};
    TaskPlace place = {};  ///< Room for the one that the call may be answered with.
    std::vector<std::shared_ptr<OpenTask>> followed = {};  ///< That a subscription is about.
    std::unique_ptr<CallFrame> origin = {};  ///< The call of the task that the request names …
    std::optional<Denial> refusal = {};      ///< … and why that may not be made any more.
    std::optional<Ending> ending = {};       ///< How that call ended, as its task says.
  } task;

  /// Approvals that `Call::facts` views: of exactly this call, to be used when it leaves.
  std::vector<Approvals::Found> approvals;
  std::uint32_t approval_rounds = 0;  ///< How often it was asked for approvals.
  std::uint32_t gatherings = 0;       ///< How often facts were gathered, since it was found.
  bool is_renewed = false;            ///< It was sent twice.
  /// What servers send about the call; exists before any is asked, so that a client can cancel.
  std::shared_ptr<PendingCall> pending;
  std::vector<std::uint64_t> server_requests;  ///< That came with this call and end with it.
  /// The call as it was judged, where its answer can be resumed, until somebody else keeps it.
  struct Resumable {
    std::string request;
    MemoryBudget::Reservation memory;
  } resumable;
  /// What a capture keeps of the call, where there is one, and of its tool.
  struct Capture {
    std::unique_ptr<CapturedCall> call;
    std::shared_ptr<const ToolDefinition> tool;
    MemoryBudget::Reservation memory;
  } capture;
};

/// What is known of any call of that caller, at the time of this one: for lists.
EvalContext any_call_of(const CallFrame& frame);

/// The caller of that call as the worker's present policy knows it. Errors: as
/// `Authenticator::review`: it would not be let in any more.
std::expected<PrincipalPtr, AuthenticationFailure> review_caller(const CallFrame& frame);

/// What a stranger says of itself, cut to a short label.
std::string client_label(std::string_view text);

/// The rule, reason and observed refusals of a verdict, as the record wants them.
struct Judgement {
  std::string_view decision;  ///< `permit` or `deny`
  Reason reason = Reason::none;
  std::string_view rule;
  std::string_view check;
  std::string_view detail = {};  ///< Where in the arguments, or what of the tool.
  const std::vector<Decision>* observed = nullptr;
  std::optional<Risk> risk = {};  ///< Of what the rule refuses.
};

/// Commits the decision record: what it says is taken at once. Errors: not_recordable.
Recorder::Commit record_decision(CallFrame& frame, const Judgement& judgement);

/// A record of a server's request, to be filled with what was decided, or how it ended.
/// Lifetime: views the frame and the request.
Record server_request_record(const CallFrame& frame, RecordKind kind, const ServerRequest& request);

/// The permit of a call, as its record tells it: the rule, what observed rules would have refused,
/// and which part of the tool's schema policy lets it do without.
/// Lifetime: views the frame.
Judgement permit_judgement(const CallFrame& frame);

/// Where a refusal is about a place: `argument /path (type)`, or what is wrong with the tool.
std::string detail_of(const CallFrame& frame, const Decision& decision);
/// Commits the outcome record, in the same way, and counts the call. Errors: not_recordable.
Recorder::Commit record_outcome(CallFrame& frame, const Ending& ending);

}  // namespace bartizan
