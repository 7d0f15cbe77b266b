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

/// The one audit log of the process, guarded: what every worker's Recorder appends to. A thread of
/// its own keeps it up: it waits for the disk where that is asked for, has what was written leave
/// memory, closes files and begins the next ones, removes those beyond the retention, watches the
/// space that is left, and tries again while recording fails.
///
/// Threads: any. The mutex is held for linking and one `write()`, or two where there is something
///          in the spool, and for the renames of a rotation; nobody waits on a disk while holding
///          it.
class SharedLog {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// `upkeep` is how often the thread looks, besides when it is asked to.
  SharedLog(AuditLog log, const AuditConfig& config,
            std::chrono::milliseconds upkeep = std::chrono::seconds(1));
  ~SharedLog();

  /// Takes over rotation, retention and durability of another configuration. Its file is the one
  /// that was opened: whoever reloads refuses to change that.
  void configure(const AuditConfig& config);

  /// To the file, or, of who appends again at once, to its spool.
  enum class Way : std::uint8_t { file, spool };
  /// Appends at once. What could not be recorded before is told in a gap record in front, and a
  /// torn record in a repair record, which takes its place.
  Result<void> append(std::vector<EncodedRecord> records, Way way = Way::file);
  /// Has the file get what is spooled.
  void drain();
  /// Has the file get what is spooled, and gives the spool up if nothing is left in it. At the end:
  /// no file stays beside the record that nobody needs.
  void end_spooling();
  /// Calls `done` on `loop` when everything appended before is on the disk, or could not be put
  /// there.
  void sync(Loop& loop, std::move_only_function<void(bool)> done);
  /// Has everything appended so far put on the disk, whatever the durability, and then calls `done`
  /// with the head of it, on the thread of this log; or with why it is not known to be there.
  /// Whoever asks for the second time before an answer takes the place of the first, which is
  /// dropped.
  enum class HeadFor : std::uint8_t { state_file, signing };
  void sync_head(HeadFor what, std::move_only_function<void(const Result<AuditHead>&)> done);
  /// Asks before a closed file that is past its retention is removed. `waits_for` answers who still
  /// needs it, as a sentence; empty lets it go. Called on the thread of this log, in its turn.
  using WaitsFor = std::function<std::string(const ChainFile&, Time now, Time::duration retention)>;
  void ask_before_removing(WaitsFor waits_for);
  /// What the thread does each time: recovery, rotation, retention, free space. True when more is
  /// due at once: who waits for the disk comes in between.
  bool keep_up(Time now);

  AuditConfig::Durability durability() const { return durability_.load(std::memory_order_relaxed); }
  AuditHead head();
  /// Whether recording fails, and calls are therefore refused; and why, in a sentence.
  bool is_failing() const { return failing_.load(std::memory_order_relaxed); }
  std::string failure();
  /// Counts a record that could not be written, to be told in the gap record.
  void count_lost(std::uint64_t count = 1) { lost_.fetch_add(count, std::memory_order_relaxed); }

  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  std::uint64_t rotations() const { return rotations_.load(std::memory_order_relaxed); }
  std::uint64_t removed_files() const { return removed_.load(std::memory_order_relaxed); }
  /// Bytes that are left to this account on the record's file system; 0 before the first look.
  std::uint64_t free_bytes() const { return free_bytes_.load(std::memory_order_relaxed); }
  /// Whether a file that should be closed cannot be; it goes on meanwhile.
  bool is_rotation_failing() const { return rotation_failing_.load(std::memory_order_relaxed); }
  /// Whether less is left than the next two files need.
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
  AuditConfig config_;         ///< Under the mutex.
  std::string failure_;        ///< Under the mutex: why recording failed last.
  std::string told_of_spool_;  ///< Under the mutex: why there is no spool, as it was said last.
  /// Under the mutex: when the record's file, and its spool, were looked at.
  std::chrono::steady_clock::time_point looked_{}, spool_looked_{};
  /// Under the mutex: nothing counts as durable until it was written again.
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

  std::mutex turn_mutex_;  ///< Of what the thread does, and tests with it: one thing at a time.
  Time next_removal_{};
  std::deque<ChainFile> removable_;     ///< Closed files of the last look, oldest first.
  WaitsFor waits_for_;                  ///< Who needs a file; empty asks nobody.
  std::string told_waits_;              ///< Why a file stays, as it was logged last.
  AuditLog::WriteBackJob closed_rest_;  ///< Of the file closed last: begun to be written back.
  Time next_rotation_{};
  bool head_sync_failed_ = false;  ///< What the kernel dropped then, nobody has kept.

  std::mutex upkeep_mutex_;
  std::condition_variable upkeep_wanted_;
  std::vector<Waiting> waiting_;
  /// By what it is for.
  std::array<std::move_only_function<void(const Result<AuditHead>&)>, 2> heads_wanted_;
  bool full_ = false;
  bool write_back_due_ = false;
  bool ending_ = false;
  std::thread upkeep_;
};

}  // namespace bartizan
