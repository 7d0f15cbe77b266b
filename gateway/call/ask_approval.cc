#include "gateway/call/ask_approval.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "audit/digest.h"
#include "gateway/approval/approval_desk.h"
#include "gateway/approval/approval_request.h"
#include "gateway/approval/shown_call.h"
#include "gateway/call/approval_form.h"
#include "gateway/call/asked_tool.h"
#include "gateway/call/operator_refusal.h"
#include "gateway/call/shown_arguments.h"
#include "gateway/call/signed_answer.h"
#include "gateway/identity/credentials.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "policy/access/approval_check.h"
#include "policy/check/argument_readings.h"
#include "schemas/base/sha256.h"
#include "schemas/message/write_message.h"

namespace bartizan {
namespace {

using Kind = AskedApproval::Kind;
using Clock = std::chrono::steady_clock;
using milliseconds = std::chrono::milliseconds;

/// What asks for approvals, in records.
constexpr std::string_view kCheck = "approvals";
/// How long the user of a legacy client has to fill in a form. Source: the official SDKs give up a
/// call after 60 seconds.
constexpr std::chrono::seconds kFormWait{45};
/// How often a held call says that it still waits, and looks.
constexpr milliseconds kProgressEvery{5000};

AskedApproval refused(Denial denial, RefusalDetail news = {}) {
  return {.kind = Kind::refused, .denial = std::move(denial), .news = std::move(news)};
}

ApprovalActor actor_of(const CallFrame& frame) {
  return {.principal = frame.principal().id,
          .roles = frame.principal().roles,
          .proof = frame.inbound.caller.proof,
          .source = frame.inbound.source,
          .transport = kind_of(frame.inbound.transport).name,
          .endpoint = std::string(frame.call.facts.endpoint.value_or("")),
          .call = std::string(frame.decision_id.view())};
}

/// How requests name what wants the approval.
std::string rule_of(const Denial& denial) {
  const std::string_view name = denial.decision.rule_name();
  return denial.check == "flows" ? flow_name(name) : std::string(name);
}

/// Input: `bound`, the parameters in the spelling of digests.
ApprovalSubject subject_of(const CallFrame& frame, std::string_view rule, std::string_view bound) {
  const ToolDefinition* tool = frame.call.facts.tool;
  return {.principal = frame.principal().id,
          .endpoint = frame.call.facts.endpoint.value_or(""),
          .server = frame.call.server,
          .method = frame.method_name(),
          .target = frame.call.target,
          .params = frame.message().params,
          .tool_fingerprint = tool == nullptr ? std::string_view() : tool->fingerprint,
          .policy = frame.policy().digest(),
          .rule = rule,
          .bound_params = bound};
}

/// The refusal of the call if whoever may approve it had done so; nothing where it would pass.
std::optional<Denial> refusal_once_approved(CallFrame& frame) {
  frame.call.facts.assumes_approval = true;
  auto judged = judge_call(frame);
  Decision flow = judge_flow(frame, frame.policy().labels(frame.call));
  frame.call.facts.assumes_approval = false;
  if (auto* denial = std::get_if<Denial>(&judged)) return std::move(*denial);
  if (flow.denies()) return Denial{"flows", std::move(flow)};
  if (Decision misfit = check_asked_tool(frame); misfit.denies()) {
    return Denial{"asked_tool", std::move(misfit)};
  }
  return std::nullopt;
}

/// What an approver showed, as far as operators revoke it: an API key.
Credential credential_of(const CallFrame& frame, const ApprovalAnswer& answer) {
  constexpr std::string_view kKey = "api_key:";
  Credential credential;
  if (!answer.proved.starts_with(kKey)) return credential;
  const std::string_view name = std::string_view(answer.proved).substr(kKey.size());
  const auto& keys = frame.snapshot().config.auth.api_keys;
  const auto key = std::ranges::find(keys, name, &ApiKeyConfig::name);
  if (key == keys.end()) return credential;
  credential.kind = CredentialKind::api_key;
  credential.digest = parse_hex(key->sha256).value_or(Hash());
  return credential;
}

/// Who approved, with the roles of now. An approver whom the configuration does not have any more,
/// or who was revoked or blocked, or whose key was, has none, and may not be one by name.
void keep_present_approvers(const CallFrame& frame, std::vector<ApprovalAnswer>& answers) {
  const auto& revocations = frame.worker.gateway.revocations;
  std::erase_if(answers, [&](ApprovalAnswer& answer) {
    const bool is_put_out =
        revocations != nullptr &&
        revocations->refusal_of(answer.approver, credential_of(frame, answer)) != Reason::none;
    if (!answer.approves || is_put_out) return true;
    // What an issuer says of somebody is known when it says it.
    if (answer.approver.contains(':')) return false;
    const PrincipalPtr principal = frame.policy().find_principal(answer.approver);
    if (principal == nullptr) return true;
    answer.roles = principal->roles;
    return false;
  });
}

/// What the state file has of calls like this one.
struct Requests {
  std::vector<Approvals::Found> approved;  ///< Of exactly this call, under whatever rule.
  std::optional<ApprovalRequest> pending;  ///< Of exactly this call, under the rule that asks.
  std::optional<ApprovalRequest> denied;
  std::string difference;  ///< What is different of the newest other request.
};

Requests sort(const CallFrame& frame, std::string_view rule, std::string_view bound,
              std::vector<Approvals::Found> all) {
  Requests requests;
  for (Approvals::Found& found : all) {
    ApprovalRequest& request = found.request;
    if (const auto differs = find_difference(request, subject_of(frame, request.rule, bound))) {
      requests.difference = fmt::format("another {} than of approval {}", *differs, request.id);
      continue;
    }
    if (request.state == ApprovalState::approved) {
      requests.approved.push_back(std::move(found));
    } else if (request.rule == rule) {
      auto& place = request.state == ApprovalState::denied ? requests.denied : requests.pending;
      place = std::move(request);
    }
  }
  return requests;
}

/// Gives the call the approvals that it has. Whether one of that rule is among them.
bool take_approvals(CallFrame& frame, std::string_view rule,
                    std::vector<Approvals::Found> approved) {
  for (Approvals::Found& found : approved)
    keep_present_approvers(frame, found.answers);
  frame.approvals = std::move(approved);
  std::vector<Approval>& facts = frame.call.facts.approvals;
  facts.clear();
  bool has_rule = false;
  for (const Approvals::Found& found : frame.approvals) {
    has_rule = has_rule || found.request.rule == rule;
    for (const ApprovalAnswer& answer : found.answers) {
      facts.push_back({.approver = answer.approver,
                       .roles = answer.roles,
                       .at = answer.at,
                       .rule = found.request.rule});
    }
  }
  return has_rule;
}

/// Whether a request is for exactly this call, and approved by as many persons as it needs, as they
/// are now: since the call was judged it may have waited, and its target may be another one.
bool is_still_approved(const CallFrame& frame, const Approvals::Found& found,
                       std::string_view bound) {
  if (find_difference(found.request, subject_of(frame, found.request.rule, bound))) return false;
  const ApprovalTerms* terms = frame.policy().find_approval_terms(found.request.rule);
  if (terms == nullptr) return false;
  std::vector<ApprovalAnswer> answers = found.answers;
  keep_present_approvers(frame, answers);
  std::vector<Approval> given;
  given.reserve(answers.size());
  for (const ApprovalAnswer& answer : answers)
    given.push_back({.approver = answer.approver, .roles = answer.roles, .at = answer.at});
  return count_approvals(*terms, found.request.rule, frame.policy().persons(), frame.principal().id,
                         given, seconds_now()) >= terms->approvals;
}

Reason reason_of_store(const Error& error) {
  return error.code == ErrorCode::not_recordable ? Reason::not_recordable : Reason::overloaded;
}

/// One call that is asked for.
class Asking {
 public:
  Asking(CallFrame& frame, Denial denial)
      : frame_(frame),
        denial_(std::move(denial)),
        rule_(rule_of(denial_)),
        bound_(bound_params(frame.message().params)) {}

  Task<AskedApproval> run() {
    for (std::uint64_t looks = 1;; ++looks) {
      auto found = co_await desk().table().of_target(
          frame_.worker.loop, frame_.principal().id, std::string(frame_.call.server),
          std::string(frame_.call.target), seconds_now());
      // Whoever approves now is not to approve in the future.
      frame_.call.facts.now = seconds_now();
      if (!found.has_value()) co_return refused({kCheck, deny(reason_of_store(found.error()))});
      Requests requests = sort(frame_, rule_, bound_, *std::move(found));
      if (requests.denied.has_value()) co_return refuse_denied(*requests.denied);
      if (take_approvals(frame_, rule_, std::move(requests.approved))) {
        if (!is_satisfied()) {
          if (const Reason reason = co_await withdraw(); reason != Reason::none) {
            co_return refused({kCheck, deny(reason)});
          }
          continue;
        }
        co_return AskedApproval{.kind = Kind::judge_anew};
      }
      if (co_await count_signed(requests.pending)) continue;
      if (co_await count_form(requests.pending)) continue;
      if (!requests.pending.has_value()) {
        auto asked = co_await ask();
        if (!asked.has_value()) {
          co_return refused(std::move(asked.error()),
                            {.detail = store_detail_, .record_detail = store_detail_});
        }
        requests.pending = *std::move(asked);
      }
      if (!request_.has_value()) {
        request_ = requests.pending;
        // Somebody may answer between the look and this: it is looked once more.
        const bool is_asked_here = may_show_form(frame_, *request_);
        const bool is_shown_now = is_asked_here && frame_.inbound.era == Era::legacy;
        if (is_shown_now || (may_hold() && !is_asked_here)) {
          watch_ = desk().watch(request_->id, frame_.principal().id, frame_.pending);
        }
        if (is_shown_now && watch_.has_value()) form_ = co_await show_form(frame_, *request_);
        form_deadline_ = steady_now() + kFormWait;
        if (watch_.has_value()) continue;
      }
      if (!signed_refusal_.empty()) {
        RefusalDetail news = waiting_news(frame_, *requests.pending, signed_refusal_);
        news.detail = std::move(signed_refusal_);
        co_return refused(std::move(denial_), std::move(news));
      }
      const bool is_held = watch_.has_value() && !frame_.worker.gateway.draining;
      if (!is_held || steady_now() >= deadline()) {
        co_return refused(std::move(denial_),
                          waiting_news(frame_, *requests.pending, std::move(requests.difference)));
      }
      if (looks > 2) tell_waiting(frame_, looks - 2, request_->id);
      co_await frame_.pending->woken(
          std::min(kProgressEvery, std::chrono::ceil<milliseconds>(deadline() - steady_now())));
      if (frame_.pending->has_ended()) co_return AskedApproval{.kind = Kind::cancelled};
      if (is_outdated(frame_)) co_return AskedApproval{.kind = Kind::judge_anew};
    }
  }

 private:
  ApprovalDesk& desk() { return *frame_.worker.gateway.approvals; }
  Decision deny(Reason reason) const { return Decision::deny(reason, denial_.decision.rule); }
  bool may_hold() const {
    return frame_.pending != nullptr && frame_.snapshot().config.approvals.wait.count() > 0;
  }

  /// Until when the call is held.
  Clock::time_point deadline() const {
    const auto held = frame_.inbound.received_at + frame_.snapshot().config.approvals.wait;
    const bool is_open = form_ != nullptr && !form_->answered().has_value();
    return is_open ? std::max(held, form_deadline_) : held;
  }

  AskedApproval refuse_denied(const ApprovalRequest& request) {
    return refused({kCheck, deny(Reason::approval_denied)},
                   {.approval = ApprovalNews{.id = request.id}});
  }

  /// Whether the approvals that were taken are enough for the rule that asks, now.
  bool is_satisfied() const {
    const ApprovalTerms* terms = frame_.policy().find_approval_terms(rule_);
    return terms != nullptr &&
           count_approvals(*terms, rule_, frame_.policy().persons(), frame_.principal().id,
                           frame_.call.facts.approvals, frame_.call.facts.now) >= terms->approvals;
  }

  /// An approver lost a role, or was put out, since. Why that cannot be kept, or `none`.
  Task<Reason> withdraw() {
    for (const Approvals::Found& found : frame_.approvals) {
      if (found.request.rule != rule_) continue;
      const auto ended =
          co_await desk().end(frame_.worker.loop, found.request.id, ApprovalState::withdrawn,
                              "whoever approved may not approve any more", seconds_now(),
                              {.principal = "gateway", .transport = "gateway"});
      if (!ended.has_value()) co_return reason_of_store(ended.error());
    }
    request_.reset();
    co_return Reason::none;
  }

  /// Takes the answer that came with the call, signed elsewhere, once. Whether it counts: then what
  /// there is has to be looked at anew.
  Task<bool> count_signed(std::optional<ApprovalRequest> pending) {
    const auto given = signed_approval_of(frame_);
    if (!given.has_value() || std::exchange(is_signed_taken_, true)) co_return false;
    auto refusal = co_await answer_signed(frame_, std::string(*given), std::move(pending));
    if (!refusal.has_value()) co_return true;
    signed_refusal_ = "signed approval not taken: " + *refusal;
    co_return false;
  }

  /// Takes what the caller's own user wrote into the form, once. Whether it counts: then what there
  /// is has to be looked at anew.
  Task<bool> count_form(const std::optional<ApprovalRequest>& pending) {
    if (is_form_taken_ || !pending.has_value() || !may_show_form(frame_, *pending)) co_return false;
    const bool is_shown = form_ != nullptr;
    const bool is_legacy = frame_.inbound.era == Era::legacy;
    if (is_shown ? !form_->answered().has_value() : is_legacy) co_return false;
    const FormAnswer answer = is_shown ? *form_->answered() : form_answer_of(frame_, *pending);
    is_form_taken_ = true;
    if (answer == FormAnswer::none) co_return false;
    co_return !(co_await count_form_answer(frame_, *pending, answer)).has_value();
  }

  Task<std::expected<ApprovalRequest, Denial>> ask() {
    const ApprovalTerms* terms = frame_.policy().find_approval_terms(rule_);
    if (terms == nullptr) co_return std::unexpected(std::move(denial_));
    std::optional<ShownArguments> hidden;
    if (has_secrets()) hidden.emplace(frame_);
    const JsonValue arguments = hidden ? hidden->value() : frame_.message().arguments;
    auto readings = this->readings(arguments);
    if (!readings.has_value()) {
      co_return std::unexpected(Denial{kCheck, deny(Reason::approval_too_large)});
    }
    std::optional<std::string> shown = shown_call({.message = frame_.inbound.received.message,
                                                   .judged = frame_.message(),
                                                   .has_secrets = has_secrets(),
                                                   .shown_arguments = arguments,
                                                   .tool = frame_.call.facts.tool,
                                                   .history = history(),
                                                   .readings = *std::move(readings)});
    if (!shown.has_value()) {
      co_return std::unexpected(Denial{kCheck, deny(Reason::approval_too_large)});
    }
    ApprovalRequest request = make_approval_request(
        std::string(frame_.worker.next_decision_id().view()), subject_of(frame_, rule_, bound_),
        *terms, {.now = seconds_now(), .expires = frame_.snapshot().config.approvals.expires},
        frame_.worker.random.draw<sizeof(ApprovalSalt)>(), *std::move(shown));
    if (frame_.session != nullptr) request.session = session_digest();
    const auto added = co_await desk().add(frame_.worker.loop, request, actor_of(frame_));
    if (added.has_value()) co_return request;
    store_detail_ = added.error().detail;
    co_return std::unexpected(Denial{kCheck, deny(reason_of_store(added.error()))});
  }

  /// Whether tokens in the arguments were replaced by what they stand for, which nobody is shown.
  bool has_secrets() const { return !frame_.rewrites.restored_tokens.empty(); }

  /// How paths, URLs, SQL and commands among arguments are read that may be shown.
  std::optional<std::vector<ArgumentReading>> readings(JsonValue arguments) const {
    return read_arguments(
        {.config = frame_.snapshot().config,
         .profiles = frame_.policy().profiles(),
         .server = frame_.call.server,
         .tool = frame_.call.target,
         .rule = rule_,
         .arguments = frame_.method() == MethodId::tools_call ? arguments : JsonValue()});
  }

  std::vector<std::string> history() const {
    if (frame_.session == nullptr) return {};
    const auto& calls = frame_.session->calls_before;
    return {calls.begin(), calls.end()};
  }

  std::string session_digest() const { return hex_of(Digester().sha256(frame_.session->id)); }

  CallFrame& frame_;
  Denial denial_;
  std::string rule_;
  std::string bound_;  ///< The parameters in the spelling of digests.
  std::optional<ApprovalRequest> request_;
  std::optional<ApprovalDesk::Watch> watch_;
  std::string store_detail_;  ///< Why a request could not be kept.
  bool is_signed_taken_ = false;
  bool is_form_taken_ = false;
  std::shared_ptr<ShownForm> form_;  ///< Shown to a legacy client; null for none.
  Clock::time_point form_deadline_;
  std::string signed_refusal_;  ///< Why the answer that came with the call does not count.
};

}  // namespace

Task<AskedApproval> ask_approval(CallFrame& frame, Denial denial) {
  const bool may_be_asked = frame.worker.gateway.approvals != nullptr && !denial.decision.is_hidden;
  if (!may_be_asked) co_return refused(std::move(denial));
  if (auto refusal = refusal_once_approved(frame)) co_return refused(*std::move(refusal));
  const JsonValue params = frame.message().params;
  if (params && params.raw().size() > limits::shown_call_bytes_max) {
    co_return refused({kCheck, Decision::deny(Reason::approval_too_large, denial.decision.rule)});
  }
  Asking asking(frame, std::move(denial));
  co_return co_await asking.run();
}

bool has_present_approvals(const CallFrame& frame) {
  if (frame.approvals.empty()) return true;
  const std::string bound = bound_params(frame.message().params);
  return std::ranges::all_of(frame.approvals, [&](const Approvals::Found& found) {
    return is_still_approved(frame, found, bound);
  });
}

Task<std::optional<Denial>> use_approvals(CallFrame& frame) {
  if (frame.approvals.empty()) co_return std::nullopt;
  if (!has_present_approvals(frame)) {
    co_return Denial{kCheck, Decision::deny(Reason::needs_approval)};
  }
  capture_approvals(frame);
  for (const Approvals::Found& found : frame.approvals) {
    const auto used = co_await frame.worker.gateway.approvals->use(
        frame.worker.loop, found.request.id, std::string(frame.decision_id.view()), seconds_now(),
        actor_of(frame));
    if (!used.has_value()) {
      co_return Denial{kCheck, Decision::deny(reason_of_store(used.error()))};
    }
    // Another call like it was faster, or its time was over.
    if (!*used) co_return Denial{kCheck, Decision::deny(Reason::needs_approval)};
  }
  // An approval is one under the policy that asked for it.
  if (is_outdated(frame)) co_return Denial{kCheck, Decision::deny(Reason::needs_approval)};
  co_return std::nullopt;
}

}  // namespace bartizan
