#include "gateway/handle_call.h"

#include <algorithm>
#include <utility>

#include "gateway/answer_denial.h"
#include "gateway/call_steps.h"
#include "gateway/http_fields.h"
#include "gateway/resolve_target.h"
#include "schemas/header_value.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

/// The session that a legacy message names, if it is the caller's. Everything but `initialize`
/// needs one.
bool find_session(CallFrame& frame) {
  if (frame.inbound.era == Era::modern || frame.method() == MethodId::initialize) return true;
  frame.session = frame.worker.sessions.find(frame.inbound.session_id, frame.principal().id,
                                             frame.snapshot().config.session, Clock::now());
  if (frame.session == nullptr) return false;
  ++frame.session->in_use;
  frame.inbound.version = frame.call.version = frame.session->version;
  return true;
}

/// The slots and tokens that a call took; the frame gives the slots back.
class TakenLimits {
 public:
  TakenLimits(LimitGuard& guard, const LimitSet& set, std::vector<LimitSet::Draw> draws)
      : guard_(&guard), set_(&set), draws_(std::move(draws)) {}
  TakenLimits(const TakenLimits&) = delete;
  TakenLimits& operator=(const TakenLimits&) = delete;
  ~TakenLimits() { guard_->give_back(*set_, draws_); }

 private:
  LimitGuard* guard_;
  const LimitSet* set_;
  std::vector<LimitSet::Draw> draws_;
};

std::vector<LimitSet::Draw> draws_of(CallFrame& frame) {
  const LimitSet& limits = frame.policy().limits();
  LimitFacts facts{.session = frame.inbound.session_id, .address = frame.inbound.source};
  facts.address = facts.address.substr(0, facts.address.rfind(':'));
  if (limits.needs_argument_digest() && frame.message().arguments) {
    facts.arguments = frame.worker.gateway.digest.digest(frame.message().arguments.raw());
  }
  return limits.draws(frame.call, facts);
}

bool shows_all_subscribed(const CallFrame& frame, const ServerConfig& server) {
  const JsonValue uris = frame.message().params.find("notifications").find("resourceSubscriptions");
  for (const JsonValue uri : uris) {
    if (!frame.policy().shows(frame.principal(), TargetKind::resource, server.name, uri.text(),
                              frame.call.facts.now)) {
      return false;
    }
  }
  return true;
}

/// Whom the call goes to: the server of its target, or every server that takes part.
std::vector<Participant> recipients(CallFrame& frame) {
  if (frame.server != nullptr) return {{frame.server, frame.upstream}};
  const MethodId method = frame.method();
  const bool goes_to_all =
      method == MethodId::logging_set_level || method == MethodId::subscriptions_listen;
  if (!goes_to_all) return {};
  std::vector<Participant> all = participants(frame);
  if (method != MethodId::subscriptions_listen || all.size() < 2) return all;
  // Of several servers, those take part whose resources the caller may see; the check judges each.
  std::vector<Participant> fitting;
  for (const Participant& one : all) {
    if (shows_all_subscribed(frame, *one.config)) fitting.push_back(one);
  }
  return fitting.empty() ? all : fitting;
}

/// What a modern HTTP server wants repeated outside the body, from the body that was judged.
void mirror(const CallFrame& frame, OutboundRequest& request) {
  const Message& message = frame.message();
  request.method = frame.method_name();
  if (frame.inbound.era == Era::legacy) return;
  if (frame.call.target_kind != TargetKind::none &&
      frame.method() != MethodId::completion_complete) {
    request.name_header = encode_header_text(frame.call.target);
  }
  if (frame.call.facts.tool != nullptr) {
    for (const MirroredArgument& mirrored : frame.call.facts.tool->mirrored) {
      const auto value = encode_header_value(message.arguments.at_pointer(mirrored.pointer));
      if (value.has_value()) request.param_headers.emplace_back(mirrored.header, *value);
    }
  }
  if (!frame.inbound.headers.has_value()) return;
  for (const auto& [name, value] : frame.inbound.headers->params) {
    // Names that the definition does not know are the server's affair and are passed on.
    const auto is_known = [&, header = name](const auto& known) {
      return equal_ignoring_case(known.first, header);
    };
    if (std::none_of(request.param_headers.begin(), request.param_headers.end(), is_known)) {
      request.param_headers.emplace_back(name, value);
    }
  }
}

Outgoing make_outgoing(CallFrame& frame, const UpstreamHandle& upstream, Permit permit) {
  const Message& message = frame.message();
  OutboundRequest request{.permit = std::move(permit), .id = message.id.range()};
  const JsonValue token = message.progress_token;
  if (token) request.progress_token = token.range();
  mirror(frame, request);
  if (frame.method() == MethodId::tools_call || frame.method() == MethodId::prompts_get) {
    if (message.name.text() != frame.target) {
      std::string name;
      append_json_string(name, frame.target);
      const bool is_tool = frame.method() == MethodId::tools_call;
      request.permit.splice(is_tool ? SpliceKind::tool_name : SpliceKind::prompt_name,
                            message.name.range(), std::move(name));
    }
  }
  if (frame.method() == MethodId::completion_complete &&
      frame.call.target_kind == TargetKind::prompt) {
    const JsonValue name = message.params.find("ref").find("name");
    std::string own;
    append_json_string(own, frame.target);
    request.permit.splice(SpliceKind::prompt_name, name.range(), std::move(own));
  }
  return {upstream, std::move(request)};
}

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

/// Judges the call, once for each server that it goes to.
std::variant<std::vector<Outgoing>, Denial> judge(CallFrame& frame) {
  const Clock::time_point start = Clock::now();
  std::vector<Outgoing> outgoing;
  std::vector<Participant> servers = recipients(frame);
  if (servers.empty()) servers.push_back({});
  for (const Participant& one : servers) {
    // A permit takes the bytes over; where there are several, each takes a copy.
    Call copy = servers.size() > 1 ? frame.call : Call();
    Call& call = servers.size() > 1 ? copy : frame.call;
    if (one.config != nullptr) call.server = one.config->name;
    Verdict verdict = frame.policy().judge(call);
    if (auto* denial = std::get_if<Denial>(&verdict)) return std::move(*denial);
    Permit& permit = std::get<Permit>(verdict);
    frame.observed = permit.observed();
    frame.rule = permit.rule();
    if (one.config != nullptr) {
      outgoing.push_back(make_outgoing(frame, one.upstream, std::move(permit)));
    } else {
      frame.kept.emplace(std::move(permit));  // Answered here: its bytes stay.
    }
  }
  frame.decide_ns = nanoseconds_since(start);
  return outgoing;
}

/// Makes the place where answers will arrive, so that a client can cancel from now on. False when
/// the session has a request of that id in progress.
bool expect_answer(CallFrame& frame) {
  frame.pending = std::make_shared<PendingCall>(frame.worker.loop);
  if (frame.session != nullptr &&
      !frame.session->calls.emplace(frame.id_text, frame.pending).second) {
    frame.pending = nullptr;
    return false;
  }
  frame.exchange->on_cancel([pending = frame.pending] {
    pending->fail({ErrorCode::cancelled, Fault::client, "the client went away"});
  });
  return true;
}

/// One decision record for each server that the call goes to, or one for a call answered here.
Task<bool> record_permit(CallFrame& frame, const std::vector<Outgoing>& outgoing) {
  Judgement judgement{.decision = "permit", .observed = &frame.observed};
  if (frame.rule != nullptr) judgement.rule = frame.rule->name;
  for (std::size_t i = 0; i < std::max<std::size_t>(outgoing.size(), 1); ++i) {
    if (!outgoing.empty()) frame.call.server = outgoing[i].upstream.key().server;
    if (!(co_await record_decision(frame, judgement)).has_value()) co_return false;
  }
  co_return true;
}

}  // namespace

Task<void> handle_call(Worker& worker, Inbound inbound, std::shared_ptr<Exchange> exchange) {
  CallFrame frame(worker, std::move(inbound), std::move(exchange));
  if (!find_session(frame)) co_return co_await refuse_call(frame, Reason::session_unknown);
  // The header said which revision has the batch; the session has agreed on one.
  if (frame.inbound.in_batch && !allows_batches(frame.inbound.version)) {
    co_return co_await refuse_call(frame, Reason::invalid_request);
  }
  if (frame.message().is_answer()) co_return co_await pass_answer(frame);
  if (frame.message().is_notification()) co_return co_await pass_notification(frame);

  if (worker.gateway.refusals.is_spent(frame.principal().id, Clock::now())) {
    co_return frame.exchange->finish(answer_denial({.reason = Reason::limited,
                                                    .decision_id = frame.decision_id.view(),
                                                    .id_json = frame.id_text,
                                                    .era = frame.inbound.era,
                                                    .trust = frame.principal().trust}));
  }
  if (!is_spoken(*frame.message().known, frame.inbound.version, Direction::client_to_server)) {
    co_return co_await refuse_call(frame, Reason::method_not_found);
  }
  if (!is_answered_here(frame.method()) && !expect_answer(frame)) {
    co_return co_await refuse_call(frame, Reason::invalid_request);  // The id is in use.
  }
  co_await resolve_target(frame);
  co_await find_tool(frame);
  if (!prepare_call(frame).has_value()) {
    co_return co_await refuse_call(frame, Reason::invalid_params);
  }
  auto judged = judge(frame);
  if (auto* denial = std::get_if<Denial>(&judged)) {
    if (frame.unavailable.has_value() && denial->decision.reason == Reason::tool_unknown) {
      co_return co_await refuse_call(frame, reason_of(*frame.unavailable));
    }
    co_return co_await refuse_call(frame, std::move(*denial));
  }
  auto& outgoing = std::get<std::vector<Outgoing>>(judged);

  std::vector<LimitSet::Draw> draws = draws_of(frame);
  const LimitSet& limits = frame.policy().limits();
  if (const auto full = worker.gateway.limits.take(limits, draws)) {
    const RuleInfo limit{.name = limits.limits()[full->limit].name};
    co_return co_await refuse_call(frame, {"limits", Decision::deny(Reason::limited, &limit)},
                                   full->retry_after);
  }
  const TakenLimits taken(worker.gateway.limits, limits, std::move(draws));

  if (!co_await record_permit(frame, outgoing)) {
    co_return co_await refuse_call(frame, Reason::not_recordable);
  }
  if (is_answered_here(frame.method())) co_return co_await answer_here(frame);
  if (outgoing.empty()) co_return co_await refuse_call(frame, Reason::server_unavailable);
  if (frame.is_collision) co_return co_await refuse_call(frame, Reason::tool_quarantined);
  co_await relay_answers(frame, std::move(outgoing));
}

}  // namespace bartizan
