// Calls that wait for people: how they are found again at the start, and end by themselves; the
// keys that decisions are signed with, and who is told of them.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "audit/encode_record.h"
#include "gateway/approval/approval_desk.h"
#include "gateway/approval/approval_proof.h"
#include "gateway/approval/recorded_approvals.h"
#include "gateway/control/control.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

/// Between tries that fail.
constexpr std::chrono::seconds kPauseMax{60};

}  // namespace

/// After the record and the state file, before there is a client. The record says what happened: a
/// state file may be an older one.
Result<void> Control::open_approvals() {
  const auto desk = std::make_shared<ApprovalDesk>(gateway_->store, *log_);
  gateway_->approvals = desk;
  gateway_->webhook_counts = webhook_.counts();
  desk->announce_to([this](const ApprovalStep& step) { webhook_.announce(step); });
  use_approval_parts();
  const auto oldest = desk->table().oldest_open();
  if (!oldest.has_value()) return std::unexpected(oldest.error());
  if (!oldest->has_value()) return {};
  auto recorded = read_recorded_approvals(config_.audit.file, **oldest, Persons(config_));
  if (!recorded.has_value()) return std::unexpected(recorded.error());
  const auto changed = desk->table().follow_record(*std::move(recorded), seconds_now());
  if (!changed.has_value()) return std::unexpected(changed.error());
  for (const std::string& id : *changed) {
    log(LogLevel::warning, "approval is not what the state file says",
        {{"approval", id}, {"detail", "the record says otherwise, and is believed"}});
  }
  return {};
}

/// Once a second, on the first worker's loop, and never twice at a time.
void Control::end_outdated_approvals(Worker& worker) {
  if (gateway_->approvals == nullptr || is_ending_approvals_) return;
  if (steady_now() < approvals_due_) return;
  is_ending_approvals_ = true;
  spawn(worker.loop, [](Control& control, Worker& its) -> Task<void> {
    const auto ended = co_await control.gateway_->approvals->end_outdated(
        its.loop, its.snapshot->policy->digest(), seconds_now());
    // A try that fails late has left records: those of a full disk must not fill the record.
    std::chrono::seconds& pause = control.approvals_pause_;
    pause = ended.has_value() ? std::chrono::seconds(0)
                              : std::clamp(2 * pause, std::chrono::seconds(1), kPauseMax);
    control.approvals_due_ = steady_now() + pause;
    control.is_ending_approvals_ = false;
  }(*this, worker));
}

/// What is the same as before stays the object that it was.
Result<Control::ApprovalParts> Control::read_approval_parts(const Config& config,
                                                            const ApprovalParts& present) {
  ReadApprovalKeys read = read_approval_keys(config.approvals);
  if (!read.problems.empty()) {
    const ApprovalKeyProblem& first = read.problems.front();
    return fail(ErrorCode::config_invalid, Fault::gateway,
                text(config, first.where) + ": " + first.detail);
  }
  auto webhook = renew_webhook_target(config.approvals.webhook, present.webhook);
  if (!webhook.has_value()) return std::unexpected(webhook.error());
  const bool is_same = present.keys != nullptr && present.keys->files == read.keys.files;
  return ApprovalParts{
      .keys = is_same ? present.keys : std::make_shared<const ApprovalKeys>(std::move(read.keys)),
      .webhook = *std::move(webhook)};
}

Result<void> Control::open_approval_parts() {
  Result<ApprovalParts> parts = read_approval_parts(config_, {});
  if (!parts.has_value()) return std::unexpected(parts.error());
  approval_parts_ = *std::move(parts);
  return {};
}

/// From now on decisions are signed and told so. Again where the console is another one.
void Control::use_approval_parts() {
  const std::string& configured = config_.approvals.url;
  webhook_.configure(approval_parts_.webhook,
                     configured.empty() ? gateway_->console_url : configured);
  if (gateway_->approvals == nullptr) return;
  SignDecision sign;
  if (const auto key = approval_parts_.keys->own) {
    sign = [key](const ApprovalStep& step) { return sign_decision(*key, step); };
  }
  gateway_->approvals->sign_with(std::move(sign));
}

/// What the record says where another key signs from then on: nothing where it is the one from
/// before, or there is none. No table remembers the last one: each start writes it again, so that
/// it stands in what is left of a record when the files before are gone.
std::optional<EncodedRecord> Control::key_record(const ApprovalKeysPtr& wanted,
                                                 std::string_view policy,
                                                 const ApprovalKeysPtr& before) const {
  if (wanted == nullptr || wanted->own == nullptr) return std::nullopt;
  const RecordKey& own = *wanted->own;
  const bool is_known =
      before != nullptr && before->own != nullptr && before->own->id() == own.id();
  if (is_known) return std::nullopt;
  const auto statement = sign_key_statement(own, wanted->previous.get(), seconds_now());
  if (!statement.has_value()) return std::nullopt;
  Record record{.kind = RecordKind::signing_key, .time = system_now()};
  record.principal = "gateway";
  record.policy = policy;
  std::string detail = own.id();
  if (wanted->previous != nullptr) detail += " follows " + wanted->previous->id();
  record.detail = detail;
  record.jws = *statement;
  return encode_record(record);
}

void Control::note_signing_key() {
  std::optional<EncodedRecord> record = key_record(approval_parts_.keys, config_.digest, {});
  if (record.has_value() && !log_->append({*std::move(record)}).has_value()) log_->count_lost();
}

}  // namespace bartizan
