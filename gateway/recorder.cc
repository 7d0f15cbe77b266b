#include "gateway/recorder.h"

#include <algorithm>
#include <utility>

#include "schemas/limits.h"

namespace bartizan {
namespace {

/// Longer than any disk that still works takes; a call that waits this long is refused.
constexpr std::chrono::seconds kCommitWait{30};
/// Room that the next batch has from the start, where this one was as large.
constexpr std::size_t kRecordsUsual = 64;

}  // namespace

/// The calls whose records are written together.
struct Recorder::Batch {
  void finish(bool is_recorded) {
    finished = true;
    recorded = is_recorded;
    for (Commit* waiter : std::exchange(waiters, {}))
      waiter->wake();
  }

  std::vector<Commit*> waiters;  ///< Each lives in the frame that waits, until it is woken.
  bool is_synced = false;        ///< By another thread, which may take its time.
  bool finished = false;
  bool recorded = false;
};

Recorder::Commit::Commit(Loop& loop, std::shared_ptr<Batch> batch)
    : loop_(loop),
      batch_(std::move(batch)),
      deadline_(loop.wheel(), [](void* self) { static_cast<Commit*>(self)->expire(); }, this) {}

bool Recorder::Commit::await_ready() const noexcept {
  return batch_ == nullptr || batch_->finished;
}

void Recorder::Commit::wait() {
  batch_->waiters.push_back(this);
  if (batch_->is_synced) deadline_.arm(kCommitWait);
}

void Recorder::Commit::wake() {
  deadline_.cancel();
  loop_.run_in_turn(*std::move(wakeup_));
  wakeup_.reset();
}

void Recorder::Commit::expire() {
  std::erase(batch_->waiters, this);
  wake();
}

Result<void> Recorder::Commit::await_resume() const {
  const bool is_recorded = batch_ == nullptr || (batch_->finished && batch_->recorded);
  if (is_recorded) return {};
  return fail(ErrorCode::not_recordable, Fault::gateway, "the audit record cannot be written");
}

Task<Result<void>> Recorder::Commit::wait_for(Loop& loop, std::shared_ptr<Batch> batch) {
  co_return co_await Commit(loop, std::move(batch));
}

Recorder::Commit::operator Task<Result<void>>() && {
  return wait_for(loop_, std::move(batch_));
}

Recorder::Commit Recorder::commit(const Record& record) {
  note(record);
  const bool is_awaited = log_.durability() != AuditConfig::Durability::async;
  return {loop_, is_awaited ? batch_ : nullptr};
}

void Recorder::note(const Record& record) {
  records_.push_back(encode_(record));
  schedule();
}

void Recorder::schedule() {
  if (batch_ == nullptr) batch_ = std::make_shared<Batch>();
  if (std::exchange(scheduled_, true)) return;
  // Posted behind everything that is ready now, so that calls of several turns share one write.
  asio::post(loop_.io(), [this] { flush(); });
}

void Recorder::flush() {
  scheduled_ = false;
  std::vector<EncodedRecord> records = std::exchange(records_, {});
  const std::size_t count = records.size();
  records_.reserve(std::min(count, kRecordsUsual));
  const std::shared_ptr<Batch> batch = std::exchange(batch_, nullptr);
  const bool appended = log_.append(std::move(records)).has_value();
  if (!appended) {
    log_.count_lost(count);
    return batch->finish(false);
  }
  loop_.metrics().add(Metric::records, {}, static_cast<double>(count));
  // Asked now: a reload may have changed it since the batch began.
  if (log_.durability() != AuditConfig::Durability::disk) return batch->finish(true);
  batch->is_synced = true;
  for (Commit* waiter : batch->waiters)
    waiter->deadline_.arm(kCommitWait);
  log_.sync(loop_, [batch, count, &log = log_](bool synced) {
    if (!synced) log.count_lost(count);
    batch->finish(synced);
  });
}

}  // namespace bartizan
