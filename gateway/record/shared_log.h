#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "audit/audit_log.h"
#include "audit/chain_files.h"
#include "config/config.h"
#include "gateway/runtime/loop.h"

namespace bartizan {

/// The guarded audit log of the process. The Recorder of each worker appends to it. A thread of its
/// own maintains it. That thread waits for the disk if required, and releases written data from
/// memory. It closes files and begins the next ones, removes files beyond the retention, watches
/// the free space, and retries while recording fails.
///
/// Threads: any. The mutex is held for linking and one `write()`, or two if there is something in
///          the spool, and for the renames of a rotation; nobody waits on a disk while holding it.
class SharedLog {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// `upkeep` is the interval of the thread's regular work.
  SharedLog(AuditLog log, const AuditConfig& config,
            std::chrono::milliseconds upkeep = std::chrono::seconds(1));
  ~SharedLog();

  /// Adopts rotation, retention and durability of another configuration. Its file is the open one:
  /// a reload refuses to change that.
  void configure(const AuditConfig& config);

  /// The target: the file, or the spool for writers that append again at once.
  enum class Way : std::uint8_t { file, spool };
  /// Appends at once. Lost records are reported before it in a gap record. A torn record is
  /// replaced by a repair record.
  Result<void> append(std::vector<EncodedRecord> records, Way way = Way::file);
  /// Writes the spooled records to the file.
  void drain();
  /// Writes the spooled records to the file, and removes an empty spool. At the end, so that no
  /// needless file remains beside the record.
  void end_spooling();
  /// Calls `done` on `loop` when everything appended before is on the disk, or could not be written
  /// there.
  void sync(Loop& loop, std::move_only_function<void(bool)> done);
  /// Puts everything appended so far on the disk, whatever the durability. Then calls `done` with
  /// its head, on the thread of this log, or with the reason why it may not be there. A second
  /// request before the answer replaces the first, which is dropped.
  enum class HeadFor : std::uint8_t { state_file, signing };
  void sync_head(HeadFor what, std::move_only_function<void(const Result<AuditHead>&)> done);
  /// Sets a function that is called before a closed file past its retention is removed. It returns
  /// who still needs the file, as a sentence; empty allows the removal. Called on the thread of
  /// this log, in its turn.
  using WaitsFor = std::function<std::string(const ChainFile&, Time now, Time::duration retention)>;
  void ask_before_removing(WaitsFor waits_for);
  /// The regular work of the thread: recovery, rotation, retention, free space. True if more is due
  /// at once: requests that wait for the disk come in between.
  bool keep_up(Time now);

  AuditConfig::Durability durability() const { return durability_.load(std::memory_order_relaxed); }
  AuditHead head();
  /// Whether recording fails, so that calls are refused; and the reason, as a sentence.
  bool is_failing() const { return failing_.load(std::memory_order_relaxed); }
  std::string failure();
  /// Counts records that could not be written, for the gap record.
  void count_lost(std::uint64_t count = 1) { lost_.fetch_add(count, std::memory_order_relaxed); }

  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  std::uint64_t rotations() const { return rotations_.load(std::memory_order_relaxed); }
  std::uint64_t removed_files() const { return removed_.load(std::memory_order_relaxed); }
  /// The bytes available to this account on the record's file system; 0 before the first look.
  std::uint64_t free_bytes() const { return free_bytes_.load(std::memory_order_relaxed); }
  /// Whether a due rotation fails; the current file continues meanwhile.
  bool is_rotation_failing() const { return rotation_failing_.load(std::memory_order_relaxed); }
  /// Whether the free space is less than the next two files need.
  bool is_space_low() const { return space_low_.load(std::memory_order_relaxed); }

 private:
  struct Waiting {
    Loop* loop;
    std::move_only_function<void(bool)> done;
  };
  void run_upkeep();
  bool sync_now();
  Result<AuditHead> sync_head_in_turn();
  void write_back();
  void recover();
  void rotate_if_due(Time now);
  bool remove_expired(Time now);
  bool remove_oldest(Time now, Time::duration retention);
  void look_at_space();
  Result<void> append_locked(std::vector<EncodedRecord> records, Way way = Way::file);
  AuditLog::Look look(std::chrono::steady_clock::time_point& looked) const;
  void tell_of_spool();
  void settle(const Result<void>& done);

  std::mutex mutex_;
  AuditLog log_;
  AuditConfig config_;         ///< Guarded by the mutex.
  std::string failure_;        ///< Guarded by the mutex: why recording failed last.
  std::string told_of_spool_;  ///< Guarded by the mutex: the last logged reason for no spool.
  /// Guarded by the mutex: when the record's file, and its spool, were checked.
  std::chrono::steady_clock::time_point looked_{}, spool_looked_{};
  /// Guarded by the mutex: nothing counts as durable until it was written again.
  bool sync_failed_ = false;
  const std::string path_;
  const std::chrono::milliseconds every_;
  std::atomic<AuditConfig::Durability> durability_;
  std::atomic<bool> failing_ = false;
  std::atomic<std::uint64_t> lost_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> rotations_ = 0;
  std::atomic<std::uint64_t> removed_ = 0;
  std::atomic<std::uint64_t> free_bytes_ = 0;
  std::atomic<bool> space_low_ = false;

  std::atomic<bool> rotation_failing_ = false;

  std::mutex turn_mutex_;  ///< Serialises the work of the thread, and that of tests.
  Time next_removal_{};
  std::deque<ChainFile> removable_;     ///< Closed files of the last look, oldest first.
  WaitsFor waits_for_;                  ///< Who needs a file; if empty, nobody is asked.
  std::string told_waits_;              ///< The last logged reason why a file stays.
  AuditLog::WriteBackJob closed_rest_;  ///< Of the last closed file: its write-back has begun.
  Time next_rotation_{};
  bool head_sync_failed_ = false;  ///< The kernel dropped data then, and there is no copy.

  std::mutex upkeep_mutex_;
  std::condition_variable upkeep_wanted_;
  std::vector<Waiting> waiting_;
  /// By purpose.
  std::array<std::move_only_function<void(const Result<AuditHead>&)>, 2> heads_wanted_;
  bool full_ = false;
  bool write_back_due_ = false;
  bool ending_ = false;
  std::thread upkeep_;
};

}  // namespace bartizan
