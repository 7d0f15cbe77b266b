#include "gateway/recorder.h"

#include <unistd.h>

#include <utility>

#include "gateway/log.h"
#include "schemas/limits.h"

namespace bartizan {
namespace {

/// Longer than any disk that still works takes; a call that waits this long is refused.
constexpr std::chrono::seconds kCommitWait{30};

}  // namespace

// --- SharedLog ----------------------------------------------------------------------------------

SharedLog::SharedLog(AuditLog log, AuditConfig::Durability durability)
    : log_(std::move(log)), durability_(durability) {
  if (durability_ == AuditConfig::Durability::disk) {
    syncer_ = std::thread([this] { run_syncs(); });
  }
}

SharedLog::~SharedLog() {
  {
    const std::lock_guard lock(sync_mutex_);
    ending_ = true;
  }
  sync_wanted_.notify_one();
  if (syncer_.joinable()) syncer_.join();
}

Result<void> SharedLog::append(std::vector<EncodedRecord> records) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t lost = lost_.exchange(0, std::memory_order_relaxed);
  if (lost > 0) {
    const Record gap{.kind = RecordKind::gap,
                     .time = std::chrono::system_clock::now(),
                     .count = lost,
                     .detail = "refusals while the record could not be written"};
    records.insert(records.begin(), encode_record(gap));
  }
  const Result<AuditHead> head = log_.append(records);
  const bool failed = !head.has_value();
  if (failed) {
    lost_.fetch_add(lost, std::memory_order_relaxed);
    failures_.fetch_add(1, std::memory_order_relaxed);
  }
  if (failing_.exchange(failed, std::memory_order_relaxed) != failed) {
    log(failed ? LogLevel::error : LogLevel::info, failed ? "record failing" : "record recovered",
        {{"detail", failed ? head.error().detail : "calls are accepted again"}});
  }
  if (failed) return std::unexpected(head.error());
  return {};
}

void SharedLog::retry() {
  // The gap record is the attempt: who waits for /readyz sends no calls that would be one.
  if (!is_failing() || lost_.load(std::memory_order_relaxed) == 0) return;
  const Result<void> written = append({});
  static_cast<void>(written);  // It goes on failing, and says so itself.
}

AuditHead SharedLog::head() {
  const std::lock_guard lock(mutex_);
  return log_.head();
}

void SharedLog::sync(Loop& loop, std::move_only_function<void(bool)> done) {
  {
    const std::lock_guard lock(sync_mutex_);
    waiting_.push_back({&loop, std::move(done)});
  }
  sync_wanted_.notify_one();
}

void SharedLog::run_syncs() {
  std::unique_lock lock(sync_mutex_);
  while (true) {
    sync_wanted_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::vector<Waiting> group = std::exchange(waiting_, {});
    lock.unlock();
    const bool synced = fdatasync(log_.descriptor()) == 0;
    for (Waiting& one : group) {
      one.loop->post_answer([done = std::move(one.done), synced]() mutable { done(synced); });
    }
    lock.lock();
  }
}

// --- Recorder -----------------------------------------------------------------------------------

/// The calls whose records are written together.
struct Recorder::Batch {
  std::vector<std::shared_ptr<Signal>> waiters;
  bool finished = false;
  bool recorded = false;
};

Task<Result<void>> Recorder::commit(Record record) {
  records_.push_back(encode_record(record));
  schedule();
  if (log_.durability() == AuditConfig::Durability::async) co_return Result<void>{};
  const std::shared_ptr<Batch> batch = batch_;
  auto signal = std::make_shared<Signal>(loop_.executor(), loop_.wheel());
  batch->waiters.push_back(signal);
  co_await signal->wait(kCommitWait);
  if (batch->finished && batch->recorded) co_return Result<void>{};
  co_return fail(ErrorCode::not_recordable, Fault::gateway, "the audit record cannot be written");
}

void Recorder::note(const Record& record) {
  records_.push_back(encode_record(record));
  schedule();
}

void Recorder::schedule() {
  if (batch_ == nullptr) batch_ = std::make_shared<Batch>();
  if (std::exchange(scheduled_, true)) return;
  // Posted behind everything that is ready now, so that this turn's calls share one write.
  asio::post(loop_.io(), [this] { flush(); });
}

void Recorder::flush() {
  scheduled_ = false;
  std::vector<EncodedRecord> records = std::exchange(records_, {});
  const std::size_t count = records.size();
  const std::shared_ptr<Batch> batch = std::exchange(batch_, nullptr);
  const bool appended = log_.append(std::move(records)).has_value();
  if (!appended) {
    for (std::size_t i = 0; i < count; ++i)
      log_.count_lost();
    return finish(batch, false);
  }
  loop_.metrics().add(Metric::records, {}, static_cast<double>(count));
  if (log_.durability() != AuditConfig::Durability::disk) return finish(batch, true);
  log_.sync(loop_, [batch](bool synced) { finish(batch, synced); });
}

void Recorder::finish(const std::shared_ptr<Batch>& batch, bool recorded) {
  batch->finished = true;
  batch->recorded = recorded;
  for (const auto& waiter : batch->waiters)
    waiter->notify();
}

}  // namespace bartizan
