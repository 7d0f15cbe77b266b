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

/// One message from its transport: parsed and authenticated, with its era.
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
  /// The client reads the next message as its response: nothing else is sent or announced.
  bool answers_only = false;
  /// Of a request that the gateway repeats: the one server that it is for.
  std::string only_server = {};
  /// For a call that is judged again because of its task; otherwise null.
  std::shared_ptr<OpenTask> of_task = {};
  /// The parts of a Groundhog request that MCP has no member for; null for MCP clients.
  std::shared_ptr<const GroundhogRequest> groundhog = {};
  std::chrono::steady_clock::time_point received_at;
};

/// A search for tools, at an endpoint with tool search.
struct ToolSearch {
  std::string words;     ///< Of `search_tools`; empty for any.
  std::string name;      ///< Of `describe_tool`; empty for a search.
  std::size_t most = 0;  ///< The most tools in the response.
  /// The protocol of the response.
  enum class Form : std::uint8_t { mcp, groundhog } form = Form::mcp;
  /// Why there is no search: the fault of the arguments, as a sentence. Empty otherwise.
  std::string_view fault = {};
};

/// The address of a client, without port, brackets and zone: `::1` for `[::1]:4711`.
std::string_view address_of(std::string_view source);

/// The target of a call, by the lists of its servers. Resolved again whenever policy, servers or
/// facts may have changed: `CallFrame::forget_target`.
struct CallTarget {
  const ServerConfig* server = nullptr;  ///< Null if the call is not for one server.
  std::string name;                      ///< Owns `Call::target`.
  UriForm uri_form = UriForm::bare;      ///< The form in which the client named a resource.
  bool is_collision = false;             ///< The called name is ambiguous.
  std::string quarantine;                ///< Why the listed tool is quarantined.
  UpstreamHandle upstream;
  std::shared_ptr<const ToolDefinition> tool;  ///< As its server lists it.
  /// The tool with renamed arguments, as its server reads it: `Facts::tool`.
  std::shared_ptr<const ToolDefinition> sent_tool;
  std::uint64_t listed_in = 0;            ///< The start of the server that listed the tool.
  std::optional<Error> unavailable;       ///< The server's list could not be requested.
  std::optional<Circuits::Pass> circuit;  ///< For a server with a breaker.
  /// Otherwise, when to try the server again. Nothing is sent to it before.
  std::optional<std::chrono::milliseconds> circuit_retry;
};

/// The rewrites of the message before it is judged. The received message stays unchanged, so that
/// it can be rewritten again: `CallFrame::undo_rewrites`.
struct CallRewrites {
  std::unique_ptr<JsonDocument> document;  ///< The rewritten call; null if it is unchanged.
  MemoryBudget::Reservation memory;        ///< For that.
  std::string sent_digest;                 ///< Digest of the sent arguments, if they were changed.
  /// A redaction rule withholds the arguments. Callers who may call the tool get that reason.
  bool withholds_arguments = false;
  std::vector<Redacted> restored_tokens;          ///< Of what the client sent, and …
  std::vector<Redacted> redacted_arguments;       ///< … of what that became.
  std::vector<Redaction::Token> restored_values;  ///< Values that the server gets and may repeat.
  /// Of a modern message, as far as its server may know; a legacy client's stand in its session.
  DeclaredFeatures client_features;
  /// Of a modern request that its client sends again with what its server wanted.
  std::optional<RequestState> request_state = {};
};

/// The findings about the call, for its records.
struct CallFindings {
  const RuleInfo* rule = nullptr;  ///< The rule that permitted the call.
  std::vector<Decision> observed;
  std::string weakness;  ///< The part of the tool's schemas that is not enforced.
  std::string task;      ///< Which call the task is of that is asked for: a sentence.
  std::string argument_digest, message_digest;
  std::uint64_t decide_ns = 0;
  std::uint32_t refused_requests = 0;  ///< Of the server's, within this call.
  std::size_t bytes_out = 0;
  std::uint64_t bytes_relayed = 0;  ///< Of all that servers sent about the call.
  /// When it was sent; nothing before that.
  std::optional<std::chrono::steady_clock::time_point> sent_at;
  std::vector<Sanitised> sanitised;  ///< Of all that servers sent about the call.
  std::vector<Redacted> redacted;    ///< Of all that servers sent about the call.
};

/// How a call ended.
struct Ending {
  Outcome outcome = Outcome::success;
  Reason reason = Reason::none;
  std::int64_t rpc_code = 0;
  std::string detail = {};  ///< What is wrong with a result.
  /// The refusals that observe mode only records.
  Reason would = Reason::none;
  /// The time of the end, if it is known already.
  std::optional<std::chrono::steady_clock::time_point> at = {};
};

/// The state of one call: the received message, its target, its rewrites and the findings. Each
/// step gets it in turn and changes its own part.
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

  /// Moves the call to another snapshot, and forgets its target.
  void rebind(SnapshotPtr snapshot);
  /// Forgets its target and the tasks that it names.
  void forget_target();
  /// Restores the received message.
  void undo_rewrites();
  /// Forgets the approvals of the call, so that they are looked up again.
  void forget_approvals();

  Worker& worker;
  /// The message from its transport, on the heap because it is large and is passed on.
  const std::unique_ptr<Inbound> owned_inbound;
  Inbound& inbound;
  const SealedBytes received_bytes;  ///< Of the message that came in.
  const std::string id_text;         ///< The client's id as it spelled it; empty on notifications.
  const std::string client_name, client_version;  ///< Of a modern message's `clientInfo`.
  const std::string correlation_id;  ///< As the client gave it; empty where it did not.
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<Session> session;  ///< Of the legacy era, after `initialize`.
  DecisionId decision_id;
  /// The judged call: views the received message, its target and its rewrites.
  Call call;
  CallTarget target;
  CallRewrites rewrites;
  CallFindings findings;
  /// Of a list of tools that a search stands for (`discovery.h`).
  std::optional<ToolSearch> search;

  /// The tasks of the call (`call_task.h`). Resolved again with its target.
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
  /// The queue of messages from servers. It exists before any server is asked, so that a client can
  /// cancel.
  std::shared_ptr<PendingCall> pending;
  std::vector<std::uint64_t> server_requests;  ///< That came with this call and end with it.
  /// The judged call, if its response can be resumed, until the stream keeps it.
  struct Resumable {
    std::string request;
    MemoryBudget::Reservation memory;
  } resumable;
  /// The captured call and its tool, if there is a capture.
  struct Capture {
    std::unique_ptr<CapturedCall> call;
    std::shared_ptr<const ToolDefinition> tool;
    MemoryBudget::Reservation memory;
  } capture;
};

/// The context of any call of that caller at this time, for lists.
EvalContext any_call_of(const CallFrame& frame);

/// The caller of that call, as the worker's present policy knows it.
/// Errors: as of `Authenticator::review`: the caller is no longer valid.
std::expected<PrincipalPtr, AuthenticationFailure> review_caller(const CallFrame& frame);

/// A text of a stranger about itself, cut to a short label.
std::string client_label(std::string_view text);

/// The rule, reason and observed refusals of a verdict, as the record wants them.
struct Judgement {
  std::string_view decision;  ///< `permit` or `deny`
  Reason reason = Reason::none;
  std::string_view rule;
  std::string_view check;
  std::string_view detail = {};  ///< A place in the arguments, or a flaw of the tool.
  const std::vector<Decision>* observed = nullptr;
  std::optional<Risk> risk = {};  ///< The risk of the rule's refusals.
};

/// Commits the decision record. Its contents are copied at once. Errors: not_recordable.
Recorder::Commit record_decision(CallFrame& frame, const Judgement& judgement);

/// A record of a server's request, to be filled with what was decided, or how it ended.
/// Lifetime: views the frame and the request.
Record server_request_record(const CallFrame& frame, RecordKind kind, const ServerRequest& request);

/// The permit of a call, for its record: the rule, the refusals of observed rules, and the part of
/// the tool's schema that policy does not enforce.
/// Lifetime: views the frame.
Judgement permit_judgement(const CallFrame& frame);

/// The place of a refusal, such as `argument /path (type)`, or the flaw of the tool.
std::string detail_of(const CallFrame& frame, const Decision& decision);
/// Commits the outcome record, in the same way, and counts the call. Errors: not_recordable.
Recorder::Commit record_outcome(CallFrame& frame, const Ending& ending);

}  // namespace bartizan
