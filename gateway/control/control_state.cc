// What the state file remembers of the record, and when.
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "gateway/control/control.h"
#include "gateway/front_door/sign_ins.h"
#include "gateway/identity/revocation_table.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/store/remembered_heads.h"
#include "gateway/store/revocations.h"
#include "gateway/store/tool_registrations.h"

namespace bartizan {
namespace {

/// As long as the record grows.
constexpr std::chrono::minutes kRememberEvery{1};

std::chrono::sys_seconds now() {
  return std::chrono::floor<std::chrono::seconds>(system_now());
}

/// What the record is remembered by: `--record` may name it from a folder that is another one the
/// next time.
std::string place_of(const Config& config) {
  std::error_code ignored;
  return std::filesystem::absolute(config.audit.file, ignored).lexically_normal().string();
}

bool is_missing_or_empty(const std::string& file) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  return ignored || bytes == 0;
}

}  // namespace

/// Behind the record, which is held against it before anybody is served.
Result<void> Control::open_state() {
  if (!config_.state.has_value()) return {};
  const bool is_new = is_missing_or_empty(config_.state->file);
  Result<std::shared_ptr<Store>> store = Store::open(config_.state->file);
  if (!store.has_value()) return std::unexpected(store.error());
  gateway_->store = std::move(*store);
  const Result<void> revoked = open_revocations();
  if (!revoked.has_value()) return revoked;
  const Result<void> approvals = open_approvals();
  if (!approvals.has_value()) return approvals;
  const Result<void> registrations = open_registrations();
  if (!registrations.has_value()) return registrations;
  open_front_doors();
  record_place_ = place_of(config_);
  const auto remembered = RememberedHeads(*gateway_->store).find(record_place_);
  if (!remembered.has_value()) return std::unexpected(remembered.error());
  // It is not overwritten yet: where a later step of the start fails, the next start has to find
  // it.
  if (remembered->has_value()) {
    compare_with_remembered(**remembered);
  } else if (log_->head().sequence > 0) {
    // Whoever removes the file removes what it would have said of the record.
    log(LogLevel::warning,
        is_new ? "state file is new though the record is not"
               : "state file does not know the record",
        {{"file", config_.state->file},
         {"record", config_.audit.file},
         {"head", log_->head().text()},
         {"detail",
          "nothing shows whether the record is what it was; expected only after [state] "
          "or the record's path is new"}});
  }
  return {};
}

/// What proves by the state file was not there when the workers were made.
void Control::open_front_doors() {
  const auto notes = std::make_shared<GrantNotes>();
  verifier_parts_.grant_notes = notes;
  gateway_->grant_notes = notes;
  verifier_parts_.store = gateway_->store;
  gateway_->sign_ins = std::make_shared<SignIns>(notes, verifier_parts_.issuer_keys);
  if (config_.auth.front_doors.empty()) return;
  const SnapshotPtr snapshot = compile();
  for (const auto& worker : gateway_->workers)
    worker->loop.post_answer([its = worker.get(), snapshot] { its->use(snapshot); });
}

/// What clients registered of tools is policy: it is there before anybody is let in.
Result<void> Control::open_registrations() {
  const auto registrations = std::make_shared<ToolRegistrations>(gateway_->store);
  const Result<void> loaded = registrations->load();
  if (!loaded.has_value()) return loaded;
  gateway_->registrations = registrations;
  registrations->on_change([this] {
    asio::post(loop_.io(), [this] {
      // However many change meanwhile, the policy is compiled once.
      if (!std::exchange(policy_is_stale_, true)) {
        asio::post(loop_.io(), [this] { publish_policy(); });
      }
      asio::post(loop_.io(), [this] { tell_clients(); });
    });
  });
  if (!registrations->all().empty()) publish_policy();
  return {};
}

/// All that held when the process before ended, before anybody is let in.
Result<void> Control::open_revocations() {
  const auto held = Revocations(*gateway_->store).all(now());
  if (!held.has_value()) return std::unexpected(held.error());
  gateway_->revocations->load(*held);
  if (!held->empty()) {
    log(LogLevel::info, "revocations in force", {{"count", held->size()}});
  }
  return {};
}

/// It starts all the same: an operator may have moved the record. What is remembered from its first
/// second on is what there is.
void Control::compare_with_remembered(const AuditHead& remembered) {
  const RecordAgreement agreement = compare_record(config_.audit.file, log_->head(), remembered);
  if (agreement.holds()) return;
  const std::string expected = remembered.text();
  gateway_->state_mismatch =
      "the record does not hold what the state file remembers of it, record " + expected + ": " +
      agreement.found;
  log(LogLevel::error, "record is not what the state file remembers",
      {{"record", config_.audit.file}, {"expected", expected}, {"found", agreement.found}});
  mismatch_expected_ = expected;
  mismatch_found_ = agreement.found;
  static_cast<void>(note_mismatch());
}

/// Whether the record tells of the mismatch, where there was one. What is remembered must stay
/// until then: it is what shows it at the next start.
bool Control::note_mismatch() {
  if (mismatch_found_.empty()) return true;
  Record record{.kind = RecordKind::mismatch, .time = system_now()};
  record.principal = "gateway";
  record.policy = config_.digest;
  record.head = mismatch_expected_;
  record.detail = mismatch_found_;
  if (!log_->append({encode_record(record)}).has_value()) return false;
  mismatch_found_.clear();
  return true;
}

/// On the loop of the first worker, from its first second on: nothing waits for either disk.
void Control::remember_head() {
  const auto present = steady_now();
  const bool is_early = remembered_at_ != std::chrono::steady_clock::time_point() &&
                        present - remembered_at_ < kRememberEvery;
  // While recording fails nothing can be put on the disk. Its thread tries again each second.
  if (gateway_->store == nullptr || is_early || log_->is_failing()) return;
  if (!note_mismatch()) return;
  remembered_at_ = present;
  if (log_->head().sequence == *remembered_) return;
  log_->sync_head(SharedLog::HeadFor::state_file, [file = record_place_, remembered = remembered_,
                                                   kept = std::weak_ptr(gateway_->store)](
                                                      const Result<AuditHead>& head) {
    const std::shared_ptr<Store> store = kept.lock();
    if (store == nullptr) return;
    if (!head.has_value()) {
      [[maybe_unused]] const Result<void> counted = RememberedHeads(*store).miss(head.error());
      return;
    }
    // Of a full queue, and of a file that fails, is told elsewhere; the next minute tries again.
    [[maybe_unused]] const Result<void> noted = RememberedHeads(*store).note(
        file, *head, now(), [remembered, number = head->sequence] { remembered->store(number); });
  });
}

/// At the stop, where no loop runs.
void Control::remember_head_now() {
  if (!note_mismatch()) return;
  const auto promise = std::make_shared<std::promise<Result<AuditHead>>>();
  std::future<Result<AuditHead>> synced = promise->get_future();
  log_->sync_head(SharedLog::HeadFor::state_file,
                  [promise](const Result<AuditHead>& head) { promise->set_value(head); });
  if (synced.wait_for(limits::state_deadline) != std::future_status::ready) return;
  const Result<AuditHead> head = synced.get();
  if (!head.has_value()) return;
  [[maybe_unused]] const Result<void> noted =
      RememberedHeads(*gateway_->store).note(record_place_, *head, now());
}

void Control::close_state() {
  if (gateway_->store == nullptr) return;
  remember_head_now();
  if (gateway_->registrations != nullptr) gateway_->registrations->on_change({});
  gateway_->store->close();
}

}  // namespace bartizan
