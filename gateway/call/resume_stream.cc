// A client that came back for what followed on a stream: judged, recorded, sent.
#include <algorithm>
#include <utility>

#include "gateway/call/call_steps.h"
#include "gateway/call/session_streams.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/message/answer_denial.h"
#include "gateway/runtime/clock.h"
#include "policy/check/check_features.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;
using Following = ResumeBuffer::Following;

/// One return, while it is judged and recorded. Of what it came for it holds nothing meanwhile but
/// the call that is judged.
class Resumption {
 public:
  Resumption(Worker& home, StreamRequest request, std::shared_ptr<Session> session, EventId from)
      : home_(home),
        request_(std::move(request)),
        session_(std::move(session)),
        from_(from),
        revocations_(present_revocations()) {}

  Task<void> run(ReplyRoute route) {
    const auto end = [&](ErrorCode code) { route.finish({.message = {}, .protocol_error = code}); };
    const auto error = co_await prepare();
    if (error.has_value()) co_return end(*error);
    if (denial_.has_value()) co_return refuse(route);
    // While that was written, more may have been sent.
    const auto following = session_->kept->after(from_);
    if (!following.has_value()) co_return end(ErrorCode::invalid_request);
    // Revoking what it came back with ends the stream, as it does for a message of the session.
    session_->credential = request_.caller.credential;
    // Whoever comes back for a stream that is over has not opened the one that goes on.
    if (!is_call_ && following->exchange != nullptr && following->exchange == session_->stream) {
      session_->stream_credential = request_.caller.credential;
    }
    send_again(std::move(route), *following);
  }

 private:
  const Policy& policy() const { return *request_.snapshot->policy; }
  const Principal& principal() const { return *request_.caller.principal; }

  std::uint64_t present_revocations() const {
    const auto& table = home_.gateway.revocations;
    return table == nullptr ? 0 : table->version();
  }

  std::uint64_t bytes_to_send() const {
    std::uint64_t bytes = 0;
    if (const auto following = session_->kept->after(from_)) {
      for (const ResumeEventPtr& event : following->events)
        bytes += event->message.size();
    }
    return bytes;
  }

  /// Judges and records. Answers why nothing may be sent.
  Task<std::optional<ErrorCode>> prepare() {
    const auto origin = session_->kept->origin(from_);
    if (origin == nullptr) co_return ErrorCode::invalid_request;
    const ResumptionLimits::Place place =
        home_.resumptions.take(principal().id, bytes_to_send(), steady_now());
    if (place == nullptr) co_return ErrorCode::overloaded;
    number_ = session_->kept->count_return(from_.stream);
    is_call_ = !origin->request.empty();
    if (is_call_ && !co_await judge(*origin)) co_return error_;
    if (const auto error = overtaken()) co_return error;
    const Result<void> recorded = co_await record(*origin);
    if (!recorded.has_value()) co_return ErrorCode::not_recordable;
    co_return overtaken();
  }

  /// What happened while this waited, and makes it void.
  std::optional<ErrorCode> overtaken() const {
    if (session_->kept->is_closed()) return ErrorCode::not_found;
    if (!session_->kept->is_last_return(from_.stream, number_)) return ErrorCode::overloaded;
    // What was judged holds no more; the client comes back to be judged under what does.
    const bool is_same =
        !is_outdated(home_, request_.snapshot) && present_revocations() == revocations_;
    if (!is_same || !is_still_let_in()) return ErrorCode::server_unavailable;
    return std::nullopt;
  }

  /// A key may expire without any reload, and the client is told why when it comes back.
  bool is_still_let_in() const {
    const Authenticated& caller = request_.caller;
    return home_.snapshot->authenticator.review(*caller.principal, caller.credential, seconds_now())
        .has_value();
  }

  /// Judges the call once more. False when that is not possible now, and `error_` says why.
  Task<bool> judge(const StreamOrigin& origin) {
    error_ = ErrorCode::overloaded;
    Receipt receipt = receive_message(home_.loop, home_.gateway.memory, Bytes(origin.request), {});
    if (!receipt.has_value()) co_return false;
    Inbound inbound{.received = std::move(*receipt),
                    .era = Era::legacy,
                    .version = session_->version,
                    .snapshot = request_.snapshot,
                    .caller = request_.caller,
                    .source = request_.source,
                    .transport = Transport::http,
                    .session_id = session_->id,
                    .received_at = steady_now()};
    CallFrame frame(home_, std::make_unique<Inbound>(std::move(inbound)), nullptr);
    frame.session = session_;
    ++session_->in_use;
    auto judged = co_await judge_again(frame);
    // A bare name may be another server's by now, whose rules say nothing of this answer.
    const bool is_same = origin.target.empty() ||
                         (origin.server == frame.call.server && origin.target == frame.target.name);
    if (!is_same && !std::holds_alternative<Denial>(judged)) {
      judged = Denial{"existence", Decision::deny(Reason::tool_unknown)};
    }
    server_ = frame.call.server;
    method_ = frame.method_name();
    target_ = frame.target.name;
    if (const Denial* denial = std::get_if<Denial>(&judged)) {
      error_ = ErrorCode::server_unavailable;
      const Reason reason = denial->decision.reason;
      const bool is_unknown =
          frame.target.unavailable.has_value() && reason == Reason::tool_unknown;
      if (is_unknown || reason == Reason::server_unavailable) co_return false;
      denial_ = *denial;
      const std::string resource = in_form(frame.target.uri_form, server_, target_);
      refusal_ = answer_denial({.reason = reason,
                                .rule = denial->decision.rule,
                                .is_hidden = denial->decision.is_hidden,
                                .hidden_as = denial->decision.hidden_as,
                                .pointer = denial->decision.pointer,
                                .permission = denial->decision.permission,
                                .decision_id = origin.decision_id.view(),
                                .id_json = frame.id_text,
                                .trust = principal().trust,
                                .is_tool_call = frame.method() == MethodId::tools_call,
                                .kind = frame.call.target_kind,
                                .resource = resource});
    } else if (const RuleInfo* rule = std::get<const RuleInfo*>(judged)) {
      rule_ = rule->name;
    }
    co_return true;
  }

  /// Says who came back for what, and what was decided, under the id of the call.
  Task<Result<void>> record(const StreamOrigin& origin) {
    const DecisionId own = home_.next_decision_id();
    Record record{.kind = RecordKind::resume, .time = system_now()};
    record.decision_id = origin.decision_id.empty() ? own.view() : origin.decision_id.view();
    record.source = request_.source;
    record.transport = kind_of(Transport::http).name;
    if (session_->endpoint.has_value()) record.endpoint = *session_->endpoint;
    record.principal = principal().id;
    record.roles.assign(principal().roles.begin(), principal().roles.end());
    record.trust = text(principal().trust);
    record.proof = request_.caller.proof;
    record.client_name = session_->client_name;
    record.client_version = session_->client_version;
    record.direction = "client_to_server";
    record.protocol = text(session_->version);
    record.server = server_;
    record.method = method_;
    record.target = target_;
    record.decision = denial_.has_value() ? "deny" : "permit";
    record.rule = rule_;
    if (denial_.has_value()) {
      record.reason = text(denial_->decision.reason);
      record.category = text(category(denial_->decision.reason));
      record.rule = denial_->decision.rule_name();
      record.check = denial_->check;
    } else if (const auto following = session_->kept->after(from_)) {
      record.count = allowed(*following).size();
    }
    record.policy = policy().digest();
    const std::string detail =
        "stream " + std::to_string(from_.stream) + " after event " + std::to_string(from_.number);
    record.detail = detail;
    co_return co_await home_.recorder.commit(record);
  }

  /// The client gets the refusal for its answer, and the stream is over for it.
  void refuse(ReplyRoute& route) {
    static_cast<void>(home_.gateway.refusals.take(principal().id, steady_now()));
    const auto following = session_->kept->after(from_);
    session_->kept->drop(from_.stream);
    route.push(priming_event(from_, session_->version));
    route.finish(std::move(refusal_));
    if (following.has_value() && following->exchange != nullptr) following->exchange->abandon();
  }

  /// What of it the client may still get: each event is judged as when it was first sent.
  std::vector<ResumeEventPtr> allowed(const Following& following) const {
    std::vector<ResumeEventPtr> events;
    std::ranges::copy_if(following.events, std::back_inserter(events),
                         [this](const ResumeEventPtr& event) { return may_send(*event); });
    return events;
  }

  bool may_send(const ResumeEvent& event) const {
    const Subject& subject = event.subject;
    if (subject.server.empty()) return true;  // An answer, judged with its call, or our own word.
    const EvalContext of = any_call_at(seconds_now(), session_->endpoint);
    if (!policy().concerns(principal(), subject.server, of)) return false;
    if (is_server_blocked(home_.gateway.revocations.get(), subject.server)) return false;
    if (subject.request != 0) return may_ask(subject);
    return subject.method != MethodId::notifications_resources_updated ||
           policy().shows(principal(), TargetKind::resource, subject.server, subject.uri, of);
  }

  /// Whether a server's request still waits for an answer, and its server may still ask.
  bool may_ask(const Subject& subject) const {
    if (!session_->server_requests.contains(subject.request)) return false;
    const Method& method = find_method(subject.method);
    // Of a server's request nothing is judged but who asks for what.
    Call call{.direction = Direction::server_to_client,
              .version = session_->version,
              .principal = &principal(),
              .message = {.kind = MessageKind::request, .method = method.name, .known = &method},
              .bytes = SealedBytes(Bytes("{}")),
              .server = subject.server};
    call.facts.now = seconds_now();
    call.facts.transport = Transport::http;
    call.facts.endpoint = session_->endpoint;
    call.facts.client_address = address_of(request_.source);
    call.facts.client_declared_feature = has_declared(session_->client_features, call.message);
    return std::holds_alternative<Permit>(policy().judge(call));
  }

  void send_again(ReplyRoute route, const Following& following) const {
    std::vector<ReplyEvent> events{priming_event(from_, session_->version)};
    for (ResumeEventPtr& event : allowed(following))
      events.push_back({.kept = std::move(event)});
    if (!following.is_over && following.exchange != nullptr) {
      return following.exchange->redirect(std::move(route), std::move(events));
    }
    for (ReplyEvent& event : events)
      route.push(std::move(event));
    route.finish({});
  }

  Worker& home_;
  StreamRequest request_;
  std::shared_ptr<Session> session_;
  EventId from_;
  std::uint64_t revocations_;  ///< The version of what operators revoked when it began.
  std::uint64_t number_ = 0;   ///< Of this return, among those for the stream.
  bool is_call_ = false;
  std::optional<ErrorCode> error_;
  std::optional<Denial> denial_;
  Answer refusal_;
  std::string server_, method_, target_, rule_;
};

}  // namespace

Task<void> resume_stream(Worker& home, StreamRequest request, ReplyRoute route) {
  const auto refuse = [&](ErrorCode code) {
    route.finish({.message = {}, .protocol_error = code});
  };
  auto session = home.sessions.find(request.session_id, owner_of(request.caller),
                                    request.snapshot->config.session, steady_now());
  if (session == nullptr) co_return refuse(ErrorCode::not_found);
  const auto from = parse_event_id(request.last_event_id);
  if (!from.has_value() || session->kept == nullptr) co_return refuse(ErrorCode::invalid_request);
  if (home.gateway.refusals.is_spent(request.caller.principal->id, steady_now())) {
    co_return refuse(ErrorCode::overloaded);
  }
  Resumption resumption(home, std::move(request), std::move(session), *from);
  co_await resumption.run(std::move(route));
}

}  // namespace bartizan
