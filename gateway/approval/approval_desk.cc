#include "gateway/approval/approval_desk.h"

#include <algorithm>

#include <fmt/format.h>

#include "audit/encode_record.h"
#include "audit/record.h"
#include "gateway/runtime/clock.h"
#include "policy/access/approval_check.h"

namespace bartizan {
namespace {

/// The subject of an answer, since the record's principal is then the approver.
std::string detail_of(const ApprovalStep& step) {
  const bool is_asked = step.request.state == ApprovalState::pending && step.answer == nullptr;
  if (is_asked) return "asked by " + step.by.call;
  if (step.answer == nullptr) return step.why;
  std::string detail = "call of " + step.request.principal;
  if (!step.why.empty()) detail += ": " + step.why;
  return detail;
}

Record record_of(const ApprovalStep& step, std::string_view detail, std::string_view jws) {
  const ApprovalRequest& request = step.request;
  Record record{.kind = RecordKind::approval, .time = system_now()};
  record.decision_id = request.id;
  record.source = step.by.source;
  record.transport = step.by.transport;
  record.endpoint = step.by.endpoint;
  record.principal = step.by.principal;
  record.roles.assign(step.by.roles.begin(), step.by.roles.end());
  record.proof = step.by.proof;
  record.server = request.server;
  record.method = request.method;
  record.target = request.target;
  record.argument_digest = request.digest;
  if (step.answer != nullptr) record.decision = step.answer->approves ? "permit" : "deny";
  record.rule = request.rule;
  record.policy = request.policy;
  record.detail = detail;
  record.approval = text(request.state);
  record.jws = jws;
  return record;
}

}  // namespace

ApprovalDesk::ApprovalDesk(std::shared_ptr<Store> store, SharedLog& log)
    : store_(std::move(store)),
      signer_(std::make_shared<Signer>()),
      table_(*store_, note_in(log, signer_)) {}

Result<std::string> ApprovalDesk::Signer::proof_of(const ApprovalStep& step) {
  SignDecision present;
  {
    const std::lock_guard lock(mutex);
    present = sign;
  }
  return present ? present(step) : step.answer->proof;
}

/// Records first: if that fails, nothing is committed.
Approvals::Note ApprovalDesk::note_in(SharedLog& log, std::shared_ptr<Signer> signer) {
  return [&log, signer = std::move(signer)](const ApprovalStep& step) -> Result<std::string> {
    std::string jws;
    if (step.answer != nullptr) {
      Result<std::string> proof = signer->proof_of(step);
      if (!proof.has_value()) return std::unexpected(proof.error());
      jws = *std::move(proof);
    }
    const std::string detail = detail_of(step);
    const Result<void> appended = log.append({encode_record(record_of(step, detail, jws))});
    if (!appended.has_value()) {
      log.count_lost();
      return std::unexpected(appended.error());
    }
    const std::lock_guard lock(signer->mutex);
    signer->taken.push_back(step);
    signer->taken.back().answer = nullptr;
    return jws;
  };
}

void ApprovalDesk::sign_with(SignDecision sign) {
  const std::lock_guard lock(signer_->mutex);
  signer_->sign = std::move(sign);
}

void ApprovalDesk::announce_to(std::function<void(const ApprovalStep&)> announce) {
  announce_ = std::move(announce);
}

/// Recorded steps were committed, or their commit failed; a woken call checks for itself.
void ApprovalDesk::announce() {
  std::vector<ApprovalStep> taken;
  {
    const std::lock_guard lock(signer_->mutex);
    taken.swap(signer_->taken);
  }
  for (const ApprovalStep& step : taken) {
    const auto state = static_cast<std::size_t>(step.request.state);
    steps_[state].fetch_add(1, std::memory_order_relaxed);
    wake(step.request.id);
    if (announce_) announce_(step);
  }
}

Task<Result<bool>> ApprovalDesk::add(Loop& loop, ApprovalRequest request, ApprovalActor by) {
  auto added = co_await table_.add(loop, std::move(request), std::move(by));
  announce();
  co_return added;
}

Task<Result<AnsweredApproval>> ApprovalDesk::answer(Loop& loop, ApprovalAnswer answer,
                                                    ApprovalActor by) {
  answer.proved = by.proof;
  auto answered = co_await table_.answer(loop, std::move(answer), std::move(by));
  announce();
  co_return answered;
}

Task<Result<bool>> ApprovalDesk::use(Loop& loop, std::string id, std::string call, std::int64_t now,
                                     ApprovalActor by) {
  auto used = co_await table_.use(loop, std::move(id), std::move(call), now, std::move(by));
  announce();
  co_return used;
}

Task<Result<bool>> ApprovalDesk::end(Loop& loop, std::string id, ApprovalState state,
                                     std::string why, std::int64_t now, ApprovalActor by) {
  auto ended = co_await table_.end(loop, std::move(id), state, std::move(why), now, std::move(by));
  announce();
  co_return ended;
}

Task<Result<bool>> ApprovalDesk::end_outdated(Loop& loop, std::string policy, std::int64_t now) {
  const auto ended = co_await table_.end_outdated(loop, std::move(policy), now);
  announce();
  if (!ended.has_value()) co_return std::unexpected(ended.error());
  const auto waiting = co_await table_.waiting(loop);
  if (waiting.has_value()) waiting_.store(*waiting, std::memory_order_relaxed);
  co_return !ended->empty();
}

std::optional<ApprovalDesk::Watch> ApprovalDesk::watch(std::string request, std::string principal,
                                                       std::shared_ptr<PendingCall> held) {
  const std::lock_guard lock(mutex_);
  const auto own = std::ranges::count_if(
      waiters_, [&](const auto& waiter) { return waiter.second.principal == principal; });
  if (own >= limits::held_calls_of_principal_max || waiters_.size() >= limits::held_calls_max) {
    return std::nullopt;
  }
  Watch watch;
  watch.desk_ = this;
  watch.number_ = ++last_;
  waiters_.emplace(watch.number_,
                   Waiter{std::move(request), std::move(principal), std::move(held)});
  return watch;
}

void ApprovalDesk::wake_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, waiter] : waiters_)
    waiter.held->wake();
}

void ApprovalDesk::forget(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  waiters_.erase(number);
}

void ApprovalDesk::wake(std::string_view request) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, waiter] : waiters_) {
    if (waiter.request == request) waiter.held->wake();
  }
}

std::optional<std::string> refusal_of_approver(const Policy& policy, const ApprovalRequest& request,
                                               const Principal& approver) {
  const ApprovalTerms* terms = policy.find_approval_terms(request.rule);
  if (terms == nullptr || request.policy != policy.digest()) {
    return "the policy has changed since: make the call again";
  }
  if (!may_approve(*terms, approver.id, approver.roles)) {
    return fmt::format("{} is not an approver of {}", approver.id, request.rule);
  }
  const Persons& persons = policy.persons();
  const bool is_own = persons.person_of(approver.id) == persons.person_of(request.principal);
  if (is_own && !terms->self_approval) {
    return fmt::format("{} does not allow callers to approve their own calls", request.rule);
  }
  return std::nullopt;
}

}  // namespace bartizan
