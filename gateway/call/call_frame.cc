#include "gateway/call/call_frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/sanitising_names.h"
#include "gateway/call/call_steps.h"
#include "gateway/call/count_call.h"
#include "gateway/call/recorded_arguments.h"
#include "gateway/call/resolve_target.h"
#include "gateway/message/correlation_id.h"
#include "gateway/runtime/clock.h"
#include "gateway/worker/redact_text.h"
#include "policy/check/check_existence.h"
#include "policy/check/check_pin.h"
#include "policy/text/qualified_name.h"
#include "schemas/base/ascii.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

std::string_view direction_text(Direction direction) {
  return direction == Direction::client_to_server ? "client_to_server" : "server_to_client";
}

/// Which call it is, which both of its records say.
Record brief_record(const CallFrame& frame, RecordKind kind) {
  Record record{.kind = kind, .time = coarse_time()};
  record.decision_id = frame.decision_id.view();
  record.principal = frame.principal().id;
  record.server = frame.call.server;
  record.method = frame.method_name();
  record.target = frame.call.target;
  return record;
}

/// A record of the call with all that is known of who calls, and how.
Record full_record(const CallFrame& frame, RecordKind kind) {
  Record record = brief_record(frame, kind);
  record.source = frame.inbound.source;
  record.transport = kind_of(frame.inbound.transport).name;
  record.endpoint = frame.call.facts.endpoint.value_or("");
  record.roles.assign(frame.principal().roles.begin(), frame.principal().roles.end());
  record.trust = text(frame.principal().trust);
  record.proof = frame.inbound.caller.proof;
  if (const TokenFactsPtr& token = frame.inbound.caller.token) {
    record.actors.assign(token->actors.begin(), token->actors.end());
  }
  record.client_name = frame.session != nullptr ? frame.session->client_name : frame.client_name;
  record.client_version =
      frame.session != nullptr ? frame.session->client_version : frame.client_version;
  if (frame.session != nullptr) {
    std::string& session = frame.session->record_digest;
    if (session.empty())
      session = KeyedDigest::hex(frame.worker.gateway.digest.digest(frame.session->id));
    record.session = session;
  }
  record.correlation_id = frame.correlation_id;
  record.direction = direction_text(frame.call.direction);
  record.protocol = text(frame.inbound.version);
  record.policy = frame.policy().digest();
  return record;
}

/// The schema that the violations of a decision are about, for its names.
const JsonSchema* schema_for(const ToolDefinition* tool, Reason reason) {
  if (tool == nullptr || tool->schemas == nullptr) return nullptr;
  const ToolSchemas& schemas = *tool->schemas;
  const auto any = SchemaOptions::Untranslatable::leave_out;
  if (reason != Reason::result_invalid) return schemas.input.usable(any);
  return schemas.output.has_value() ? schemas.output->usable(any) : nullptr;
}

/// How much harm a call of a tool can do, as its profiles say.
std::optional<Risk> risk_of(const CallFrame& frame) {
  if (frame.call.target_kind != TargetKind::tool) return std::nullopt;
  return frame.policy().profiles().find(frame.call)->risk;
}

std::string_view name_of(std::optional<Risk> risk) {
  return risk.has_value() ? text(*risk) : std::string_view();
}

/// Where a check refused. What no predicate names, or what passes for another name, has a name that
/// the client may have made up.
std::string recorded_pointer(const CallFrame& frame, const Decision& decision) {
  const bool is_made_up =
      decision.reason == Reason::argument_unguarded || decision.reason == Reason::ambiguous_member;
  if (!is_made_up) return decision.pointer;
  const ToolSchemas* schemas =
      frame.target.sent_tool == nullptr ? nullptr : frame.target.sent_tool->schemas.get();
  const JsonSchema* schema = schemas == nullptr
                                 ? nullptr
                                 : schemas->input.usable(SchemaOptions::Untranslatable::leave_out);
  return schema == nullptr ? "/*" : schema->without_unnamed(decision.pointer);
}

/// Why the tool is not what people approved, without what a detector found something in.
std::string pin_detail(const CallFrame& frame) {
  Worker& worker = frame.worker;
  const PinFlaw flaw = pin_flaw(frame.policy().profiles(), frame.call.server, *frame.target.tool,
                                [&worker](const PinnedTool& pinned, const ToolDefinition& tool) {
                                  return worker.pin_differences.find(pinned, tool);
                                });
  const ServerListPtr list = worker.catalogue.known(frame.target.upstream.key(), ListKind::tools);
  const ListedEntry* entry = list == nullptr ? nullptr : list->find(frame.target.tool->name);
  return entry == nullptr || worker.catalogue.is_suspect(*entry) ? flaw.what : flaw.text();
}

template <class Found>
std::vector<std::string> texts(const std::vector<Found>& found) {
  std::vector<std::string> all;
  all.reserve(found.size());
  for (const Found& one : found)
    all.push_back(text(one));
  return all;
}

/// What was found for whose sake nothing passes: detectors, and what was hidden or active.
std::string withheld_for(const CallFrame& frame) {
  std::string names;
  for (const Sanitised& one : frame.findings.sanitised) {
    const bool is_reason =
        one.action == text(HiddenText::refuse) || one.action == text(InjectionScreen::withhold);
    if (!is_reason) continue;
    names += (names.empty() ? "" : ", ") + std::string(one.what);
    if (!one.rule.empty()) names += " by sanitise." + one.rule;
  }
  const auto& all = frame.rewrites.withholds_arguments ? frame.rewrites.redacted_arguments
                                                       : frame.findings.redacted;
  for (const Redacted& one : all) {
    if (one.action != text(RedactionAction::withhold)) continue;
    names += (names.empty() ? "" : ", ") + one.detector;
    if (!one.rule.empty()) names += " by redact." + one.rule;
  }
  return names;
}

}  // namespace

std::string client_label(std::string_view text) {
  constexpr std::size_t label_bytes_max = 64;
  return std::string(text.substr(0, label_bytes_max));
}

namespace {

/// What a modern message's `clientInfo` says.
std::string client_info(const Message& message, std::string_view member) {
  return client_label(message.meta.find(meta_key::client_info).find(member).text());
}

}  // namespace

std::string_view address_of(std::string_view source) {
  if (source.starts_with('[')) {
    source = source.substr(1, source.find(']') - 1);
  } else {
    source = source.substr(0, source.find(':'));
  }
  return source.substr(0, source.find('%'));
}

CallFrame::CallFrame(Worker& its_worker, std::unique_ptr<Inbound> its_inbound,
                     std::shared_ptr<Exchange> its_exchange)
    : worker(its_worker),
      owned_inbound(std::move(its_inbound)),
      inbound(*owned_inbound),
      received_bytes(std::move(inbound.received.bytes)),
      id_text(inbound.received.message.id.raw()),
      client_name(client_info(inbound.received.message, "name")),
      client_version(client_info(inbound.received.message, "version")),
      correlation_id(read_correlation_id(inbound.received.message.meta)),
      exchange(std::move(its_exchange)),
      decision_id(worker.next_decision_id()) {
  call.direction = Direction::client_to_server;
  call.era = inbound.era;
  call.version = inbound.version;
  call.principal = inbound.caller.principal.get();
  call.message = inbound.received.message;
  call.bytes = received_bytes;
  call.headers = inbound.headers.has_value() ? &*inbound.headers : nullptr;
  call.facts.now = seconds_now();
  const TransportKind& transport = kind_of(inbound.transport);
  if (transport.has_clients) call.facts.transport = transport.transport;
  call.facts.endpoint = inbound.caller.credential.endpoint;
  if (transport.has_address) call.facts.client_address = address_of(inbound.source);
  // Nobody waits for what the gateway repeats, and so no stop does.
  if (transport.has_clients) {
    worker.gateway.calls_in_progress.fetch_add(1, std::memory_order_relaxed);
  }
}

CallFrame::~CallFrame() {
  finish_capture(*this);
  worker.loop.give_back(std::move(rewrites.document));
  worker.loop.give_back(std::move(inbound.received.document));
  if (session != nullptr && pending != nullptr) {
    const auto found = session->calls.find(id_text);
    if (found != session->calls.end() && found->second == pending) session->calls.erase(found);
    for (const std::uint64_t number : server_requests)
      abandon_server_request(number);
  }
  if (session != nullptr) --session->in_use;
  if (kind_of(inbound.transport).has_clients) {
    worker.gateway.calls_in_progress.fetch_sub(1, std::memory_order_relaxed);
  }
}

/// A request of the server's that nobody answered ends with the call that it belonged to.
void CallFrame::abandon_server_request(std::uint64_t number) {
  const auto found = session->server_requests.find(number);
  if (found == session->server_requests.end()) return;
  // How one ends that is being answered is on its way to the record.
  if (!found->second.is_answered) {
    Record record = server_request_record(*this, RecordKind::outcome, found->second);
    record.outcome = Outcome::cancelled;
    worker.recorder.note(record);
  }
  session->server_requests.erase(found);
}

Record server_request_record(const CallFrame& frame, RecordKind kind,
                             const ServerRequest& request) {
  Record record{.kind = kind, .time = coarse_time()};
  record.decision_id = request.decision_id.view();
  record.source = frame.inbound.source;
  record.transport = kind_of(frame.inbound.transport).name;
  record.endpoint = frame.call.facts.endpoint.value_or("");
  record.principal = frame.principal().id;
  record.direction = "server_to_client";
  record.protocol = text(frame.inbound.version);
  record.server = request.server;
  record.method = request.method;
  record.policy = frame.policy().digest();
  return record;
}

EvalContext any_call_of(const CallFrame& frame) {
  return any_call_at(frame.call.facts.now, frame.call.facts.endpoint);
}

std::expected<PrincipalPtr, AuthenticationFailure> review_caller(const CallFrame& frame) {
  const Authenticated& caller = frame.inbound.caller;
  return frame.worker.snapshot->authenticator.review(*caller.principal, caller.credential,
                                                     seconds_now());
}

void CallFrame::rebind(SnapshotPtr snapshot) {
  inbound.snapshot = std::move(snapshot);
  // An approval is one under the policy that asked for it.
  forget_approvals();
  forget_target();
}

void CallFrame::forget_target() {
  target = {};
  task = {};
  call.server = {};
  call.target = {};
  call.target_kind = TargetKind::none;
  call.facts.tool = nullptr;
  call.facts.known = {};
  call.facts.tool_quarantined = false;
  call.facts.names_own_task = false;
}

void CallFrame::forget_approvals() {
  call.facts.approvals.clear();
  approvals.clear();
}

void CallFrame::undo_rewrites() {
  call.message = inbound.received.message;
  call.bytes = received_bytes;
  call.sent_arguments.reset();
  worker.loop.give_back(std::move(rewrites.document));
  rewrites = {};
}

std::string_view CallFrame::method_name() const {
  const Method& known = *call.message.known;
  return known.id == MethodId::unknown ? call.message.method : known.name;
}

std::uint64_t CallFrame::age_us(std::chrono::steady_clock::time_point now) const {
  // The turn in which it was received may not be over.
  const auto age = std::max(now, inbound.received_at) - inbound.received_at;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(age).count());
}

Recorder::Commit record_decision(CallFrame& frame, const Judgement& judgement) {
  Record record = full_record(frame, RecordKind::decision);
  const KeyedDigest& digest = frame.worker.gateway.digest;
  if (frame.message().arguments) {
    frame.findings.argument_digest =
        KeyedDigest::hex(digest.digest(frame.message().arguments.raw()));
  } else {
    frame.findings.message_digest = KeyedDigest::hex(digest.digest(frame.message().root.raw()));
  }
  record.argument_digest = frame.findings.argument_digest;
  record.message_digest = frame.findings.message_digest;
  record.sent_digest = frame.rewrites.sent_digest;
  const RecordedArguments arguments = recorded_arguments(frame);
  record.arguments.assign(arguments.texts.begin(), arguments.texts.end());
  record.decision = judgement.decision;
  if (judgement.reason != Reason::none) {
    record.reason = text(judgement.reason);
    record.category = text(category(judgement.reason));
  }
  record.rule = judgement.rule;
  record.check = judgement.check;
  std::vector<std::string> would;
  if (judgement.observed != nullptr) {
    for (const Decision& decision : *judgement.observed) {
      std::string entry(text(decision.reason));
      if (decision.rule != nullptr) entry += ":" + decision.rule->name;
      would.push_back(std::move(entry));
    }
  }
  record.would.assign(would.begin(), would.end());
  record.risk = name_of(std::max(risk_of(frame), judgement.risk));
  for (const GatheredFact& fact : frame.call.facts.gathered) {
    if (const auto* found = std::get_if<FoundAddresses>(&fact.finding)) {
      record.addresses.insert(record.addresses.end(), found->addresses.begin(),
                              found->addresses.end());
    }
  }
  record.detail = judgement.detail;
  std::vector<Redacted> found = frame.rewrites.restored_tokens;
  found.insert(found.end(), frame.rewrites.redacted_arguments.begin(),
               frame.rewrites.redacted_arguments.end());
  found.insert(found.end(), arguments.redacted.begin(), arguments.redacted.end());
  const std::vector<std::string> redacted = texts(found);
  for (const Redacted& one : found)
    count_redacted(frame.worker, Carrier::arguments, one);
  record.redacted.assign(redacted.begin(), redacted.end());
  const Sanitisation sent{.found = found_in(frame.inbound.received.mended), .left = {}};
  count_sanitised(frame.worker, Carrier::arguments, sent);
  const std::vector<std::string> mended = texts(sent.found);
  record.sanitised.assign(mended.begin(), mended.end());
  record.bytes_in = frame.inbound.bytes;
  record.decide_ns = frame.findings.decide_ns;
  // Of what was refused before it was judged, the time until now.
  const double decide_seconds =
      frame.findings.decide_ns != 0
          ? static_cast<double>(frame.findings.decide_ns) / 1e9
          : std::chrono::duration<double>(steady_now() - frame.inbound.received_at).count();
  frame.worker.loop.metrics().observe(
      Metric::decide_seconds, std::array<std::string_view, 1>{judgement.decision}, decide_seconds);
  frame.worker.loop.metrics().add(
      Metric::policy_decisions,
      std::array<std::string_view, 5>{judgement.decision, record.reason, judgement.rule,
                                      frame.call.server,
                                      frame.call.facts.tool != nullptr ? frame.call.target : ""});
  return frame.worker.recorder.commit(record);
}

Judgement permit_judgement(const CallFrame& frame) {
  return {.decision = "permit",
          .rule = frame.findings.rule != nullptr ? std::string_view(frame.findings.rule->name) : "",
          .detail = frame.findings.task.empty() ? frame.findings.weakness : frame.findings.task,
          .observed = &frame.findings.observed};
}

std::string detail_of(const CallFrame& frame, const Decision& decision) {
  if (decision.reason == Reason::skill_quarantined) return frame.target.quarantine;
  if (decision.reason == Reason::tool_quarantined) {
    if (!frame.target.quarantine.empty()) return frame.target.quarantine;
    if (frame.target.sent_tool == nullptr || frame.target.sent_tool->schemas == nullptr) return "";
    if (!is_judgeable(frame.policy().profiles(), frame.call.server, *frame.target.sent_tool)) {
      return frame.target.sent_tool->schemas->flaw();
    }
    return pin_detail(frame);
  }
  if (!decision.permission.empty()) return "permission " + decision.permission;
  const bool is_withheld =
      decision.reason == Reason::content_withheld || decision.reason == Reason::argument_withheld;
  if (is_withheld) return withheld_for(frame);
  const std::string what = is_about_result(decision.reason)            ? "result"
                           : decision.reason == Reason::invalid_params ? "params"
                                                                       : "argument";
  if (decision.violations.empty()) {
    if (decision.pointer.empty()) return "";
    std::string told = what + " " + recorded_pointer(frame, decision);
    if (decision.outside != OutsideRefusal::none) told += " " + std::string(text(decision.outside));
    return told;
  }
  const JsonSchema* schema = schema_for(frame.target.sent_tool.get(), decision.reason);
  std::string detail;
  for (const SchemaViolation& violation : decision.violations) {
    detail += detail.empty() ? what : ",";
    if (schema != nullptr && !violation.pointer.empty()) {
      detail += " " + schema->without_unnamed(violation.pointer);
    }
    // What is missing is a name of the schema's, and a bound is the policy's.
    const bool is_told = violation.keyword == "required" ||
                         violation.keyword == "dependentRequired" ||
                         decision.reason == Reason::result_too_large;
    detail += " (" + violation.keyword + (is_told ? ": " + violation.expected : "") + ")";
    // It ends with the one that goes beyond.
    if (detail.size() > limits::record_detail_bytes_max) break;
  }
  return detail;
}

Recorder::Commit record_outcome(CallFrame& frame, const Ending& ending) {
  // Who watches for what was refused or went wrong need not look for its decision first.
  const bool is_full = ending.reason != Reason::none;
  Record record =
      is_full ? full_record(frame, RecordKind::outcome) : brief_record(frame, RecordKind::outcome);
  record.outcome = ending.outcome;
  if (ending.reason != Reason::none) {
    record.reason = text(ending.reason);
    record.category = text(category(ending.reason));
  }
  record.rpc_code = ending.rpc_code;
  record.detail = ending.detail;
  if (ending.would != Reason::none) record.would.push_back(text(ending.would));
  const std::vector<std::string> redacted = texts(frame.findings.redacted);
  record.redacted.assign(redacted.begin(), redacted.end());
  const std::vector<std::string> sanitised = texts(frame.findings.sanitised);
  record.sanitised.assign(sanitised.begin(), sanitised.end());
  if (is_slow(frame, ending)) {
    record.warnings.push_back(kSlowExecution);
    count_slow(frame);
  }
  record.bytes_out = frame.findings.bytes_out;
  record.duration_us = frame.age_us(ending.at ? *ending.at : steady_now());
  count_call(frame, ending, record.duration_us);
  return frame.worker.recorder.commit(record);
}

}  // namespace bartizan
