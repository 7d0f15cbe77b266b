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
  std::vector<Signal*> waiters;  ///< Each lives in the frame that waits, until it is notified.
  bool finished = false;
  bool recorded = false;
};

Task<Result<void>> Recorder::commit(const Record& record) {
  note(record);
  return wait_for(batch_);
}

Task<Result<void>> Recorder::wait_for(std::shared_ptr<Batch> batch) {
  if (log_.durability() == AuditConfig::Durability::async) co_return Result<void>{};
  if (!batch->finished) {
    Signal signal(loop_);
    batch->waiters.push_back(&signal);
    if (co_await signal.wait(kCommitWait) == Signal::Woken::timed_out) {
      std::erase(batch->waiters, &signal);
    }
  }
  if (batch->finished && batch->recorded) co_return Result<void>{};
  co_return fail(ErrorCode::not_recordable, Fault::gateway, "the audit record cannot be written");
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
    return finish(batch, false);
  }
  loop_.metrics().add(Metric::records, {}, static_cast<double>(count));
  if (log_.durability() != AuditConfig::Durability::disk) return finish(batch, true);
  log_.sync(loop_, [batch, count, &log = log_](bool synced) {
    if (!synced) log.count_lost(count);
    finish(batch, synced);
  });
}

void Recorder::finish(const std::shared_ptr<Batch>& batch, bool recorded) {
  batch->finished = true;
  batch->recorded = recorded;
  for (Signal* waiter : std::exchange(batch->waiters, {}))
    waiter->notify();
}

}  // namespace bartizan
