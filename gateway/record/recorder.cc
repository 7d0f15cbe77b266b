#include "gateway/record/recorder.h"

#include <algorithm>
#include <utility>

#include "gateway/runtime/clock.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Longer than any disk that still works takes; a call that waits this long is refused.
constexpr std::chrono::seconds kCommitWait{30};
/// Writes that follow each other within this time are a row, and after so many in a row the next
/// ones are spooled. A spool is not made for a client that calls now and then.
constexpr std::chrono::milliseconds kRowGap{50};
constexpr int kRowWrites = 16;
/// Room that the next batch has from the start, where this one was as large.
constexpr std::size_t kRecordsUsual = 64;

}  // namespace

/// The calls whose records are written together.
struct Recorder::Batch {
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  /// Waiting coroutines are not resumed any more: the loop has ended.
  ~Batch() {
    for (Commit* waiter : waiters) {
      waiter->deadline_.cancel();
      waiter->batch_ = nullptr;
    }
  }

  void finish(bool is_recorded) {
    for (Commit* waiter : std::exchange(waiters, {}))
      waiter->finish(is_recorded);
  }
  /// The disk is asked by another thread, which may take its time.
  void expect_sync() {
    for (Commit* waiter : waiters)
      waiter->deadline_.arm(kCommitWait);
  }

  std::vector<Commit*> waiters;  ///< Each takes itself off when it ends before.
};

Recorder::Commit::Commit(Loop& loop, Batch* batch)
    : loop_(loop),
      batch_(batch),
      is_recorded_(batch == nullptr),
      deadline_(loop.wheel(), [](void* self) { static_cast<Commit*>(self)->expire(); }, this) {
  if (batch_ != nullptr) batch_->waiters.push_back(this);
}

Recorder::Commit::~Commit() {
  if (batch_ != nullptr) std::erase(batch_->waiters, this);
}

void Recorder::Commit::finish(bool is_recorded) {
  batch_ = nullptr;
  is_recorded_ = is_recorded;
  deadline_.cancel();
  if (!wakeup_.has_value()) return;
  loop_.run_in_turn(*std::move(wakeup_));
  wakeup_.reset();
}

void Recorder::Commit::expire() {
  std::erase(batch_->waiters, this);
  finish(false);
}

Result<void> Recorder::Commit::await_resume() const {
  if (is_recorded_) return {};
  return fail(ErrorCode::not_recordable, Fault::gateway, "the audit record cannot be written");
}

Recorder::Recorder(Loop& loop, SharedLog& log, Encode encode)
    : loop_(loop),
      log_(log),
      encode_(std::move(encode)),
      drain_due_(
          loop.wheel(), [](void* self) { static_cast<Recorder*>(self)->log_.drain(); }, this) {}

Recorder::~Recorder() = default;

Recorder::Commit Recorder::commit(const Record& record) {
  note(record);
  const bool is_awaited = log_.durability() != AuditConfig::Durability::async;
  return {loop_, is_awaited ? batch_.get() : nullptr};
}

void Recorder::note(const Record& record) {
  records_.push_back(encode_(record));
  has_incident_ = has_incident_ || !is_ordinary(record);
  schedule();
}

SharedLog::Way Recorder::next_way() {
  const auto now = steady_now();
  row_ = now - std::exchange(written_, now) < kRowGap ? std::min(row_ + 1, kRowWrites) : 0;
  // A reader who watches the file for refusals sees one at once.
  const bool is_for_file = std::exchange(has_incident_, false) || row_ < kRowWrites;
  return is_for_file ? SharedLog::Way::file : SharedLog::Way::spool;
}

void Recorder::schedule() {
  if (batch_ != nullptr) return;
  batch_ = std::make_unique<Batch>();
  // Behind everything that is ready now, so that as many calls as can be share one write.
  loop_.run_at_end_of_turn([this] { flush(); });
}

void Recorder::flush() {
  std::vector<EncodedRecord> records = std::exchange(records_, {});
  const std::size_t count = records.size();
  records_.reserve(std::min(count, kRecordsUsual));
  std::unique_ptr<Batch> batch = std::exchange(batch_, nullptr);
  const SharedLog::Way way = next_way();
  const bool appended = log_.append(std::move(records), way).has_value();
  // At the next tick, which is 50 ms away at most.
  if (way == SharedLog::Way::spool && !drain_due_.is_armed()) drain_due_.arm(std::uint64_t{1});
  if (!appended) {
    log_.count_lost(count);
    return batch->finish(false);
  }
  loop_.metrics().add(Metric::records, {}, static_cast<double>(count));
  // Asked now: a reload may have changed it since the batch began.
  if (log_.durability() != AuditConfig::Durability::disk) return batch->finish(true);
  batch->expect_sync();
  log_.sync(loop_, [batch = std::move(batch), count, &log = log_](bool synced) {
    if (!synced) log.count_lost(count);
    batch->finish(synced);
  });
}

}  // namespace bartizan
