#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "audit/audit_log.h"
#include "config/config.h"
#include "gateway/loop.h"
#include "gateway/signal.h"

namespace bartizan {

/// The one audit log of the process, guarded: what every worker's Recorder appends to.
///
/// Threads: any. The mutex is held for linking and one `write()`; no worker waits on a disk while
/// holding it: `disk` durability is a thread of its own that calls fdatasync.
class SharedLog {
 public:
  SharedLog(AuditLog log, AuditConfig::Durability durability);
  ~SharedLog();

  /// Appends at once, and counts refusals that could not be recorded into a gap record once that
  /// is possible again.
  Result<void> append(std::vector<EncodedRecord> records);
  /// While the log is failing, tries to write the gap record, so that it recovers without a call.
  void retry();
  /// Calls `done` on `loop` when everything appended before is on the disk.
  void sync(Loop& loop, std::move_only_function<void(bool)> done);

  AuditConfig::Durability durability() const { return durability_; }
  AuditHead head();
  /// Whether the last append failed, and calls are therefore refused.
  bool is_failing() const { return failing_.load(std::memory_order_relaxed); }
  /// Counts a refusal that could not be recorded.
  void count_lost() { lost_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    Loop* loop;
    std::move_only_function<void(bool)> done;
  };
  void run_syncs();

  std::mutex mutex_;
  AuditLog log_;
  const AuditConfig::Durability durability_;
  std::atomic<bool> failing_ = false;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;

  std::mutex sync_mutex_;
  std::condition_variable sync_wanted_;
  std::vector<Waiting> waiting_;
  bool ending_ = false;
  std::thread syncer_;
};

/// One worker's way to the log: group commit for each turn of its loop. Records committed in one
/// turn are linked and written together, and their calls go on together.
///
/// Threads: those of its loop.
class Recorder {
 public:
  Recorder(Loop& loop, SharedLog& log) : loop_(loop), log_(log) {}

  /// Returns when the record is as durable as the configuration asks for.
  /// Errors: not_recordable; the call is then refused.
  Task<Result<void>> commit(Record record);
  /// The same without waiting, for what is refused anyway: a record that is lost is counted.
  void note(const Record& record);
  std::size_t pending() const { return records_.size(); }

 private:
  struct Batch;
  void schedule();
  void flush();
  static void finish(const std::shared_ptr<Batch>& batch, bool recorded);

  Loop& loop_;
  SharedLog& log_;
  std::vector<EncodedRecord> records_;
  std::shared_ptr<Batch> batch_;
  bool scheduled_ = false;
};

}  // namespace bartizan
