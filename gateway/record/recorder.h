#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gateway/record/shared_log.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/task.h"
#include "gateway/runtime/timer_wheel.h"

namespace bartizan {

/// One worker's way to the log: group commit. Records that are committed until the loop has taken
/// all that was ready are linked and written together, and their calls go on together.
///
/// While batches follow each other closely they go to the log's spool, and from there to the file
/// within `limits::timer_tick`. A batch with a record that is not `is_ordinary` goes to the file
/// at once, with all that is spooled.
///
/// Threads: those of its loop.
class Recorder {
 public:
  /// How a record becomes bytes.
  using Encode = std::function<EncodedRecord(const Record&)>;

  Recorder(
      Loop& loop, SharedLog& log,
      Encode encode = [](const Record& record) { return encode_record(record); });
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  class Commit;

  /// Takes the record at once, and returns from the wait when it is as durable as the configuration
  /// asks for.
  /// Errors:   not_recordable; the call is then refused.
  /// Lifetime: nothing of `record` is looked at behind the call.
  Commit commit(const Record& record);
  /// Takes the record at once and waits for nothing, for what is refused anyway. A record that is
  /// lost is counted.
  void note(const Record& record);
  std::size_t pending() const { return records_.size(); }

 private:
  struct Batch;
  void schedule();
  void flush();
  SharedLog::Way next_way();

  Loop& loop_;
  SharedLog& log_;
  Encode encode_;
  std::vector<EncodedRecord> records_;
  std::unique_ptr<Batch> batch_;  ///< Of `records_`, as long as there are any to be written.
  bool has_incident_ = false;     ///< Of `records_`, one that is not `is_ordinary`.
  std::chrono::steady_clock::time_point written_{};  ///< The last batch, to the file or the spool.
  int row_ = 0;         ///< Batches that followed each other soon, until now.
  Deadline drain_due_;  ///< Of what is spooled.
};

/// The wait for one record, to be awaited once: a `Result<void>`.
///
/// Lifetime: in the frame that awaits it, which is resumed no more once the recorder has ended.
/// Cost:     a place in its batch, and one in the loop's turn.
class [[nodiscard]] Recorder::Commit {
 public:
  /// `batch` is null where nobody waits for records.
  Commit(Loop& loop, Batch* batch);
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;
  ~Commit();

  bool await_ready() const noexcept { return batch_ == nullptr; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) {
    wakeup_.emplace(awaiting);
  }
  Result<void> await_resume() const;

 private:
  friend struct Batch;

  void finish(bool is_recorded);
  void expire();

  Loop& loop_;
  Batch* batch_;  ///< Until it is known how it ended.
  bool is_recorded_;
  std::optional<Wakeup> wakeup_;
  Deadline deadline_;  ///< Of what another thread does.
};

}  // namespace bartizan
