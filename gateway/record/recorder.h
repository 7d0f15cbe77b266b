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

/// One worker's access to the log, with group commit. It collects records until the loop has taken
/// all ready work. They are then linked and written together, and their calls continue together.
///
/// While batches follow each other closely, they go to the log's spool, and from there to the file
/// within `limits::timer_tick`. A batch with a record that is not `is_ordinary` goes to the file at
/// once, with all that is spooled.
///
/// Threads: those of its loop.
class Recorder {
 public:
  /// Encodes a record as bytes.
  using Encode = std::function<EncodedRecord(const Record&)>;

  Recorder(
      Loop& loop, SharedLog& log,
      Encode encode = [](const Record& record) { return encode_record(record); });
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  class Commit;

  /// Takes the record at once. The wait ends when the record is as durable as the configuration
  /// demands.
  /// Errors:   not_recordable; the call is then refused.
  /// Lifetime: nothing of `record` is used after this call.
  Commit commit(const Record& record);
  /// Takes the record at once without waiting, for calls that are refused anyway. A lost record is
  /// counted.
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
  std::unique_ptr<Batch> batch_;  ///< Of `records_`, while records wait for the write.
  bool has_incident_ = false;     ///< A record in `records_` is not `is_ordinary`.
  std::chrono::steady_clock::time_point
      written_{};       ///< Of the last batch, to the file or the spool.
  int row_ = 0;         ///< Batches in quick succession so far.
  Deadline drain_due_;  ///< For the spooled records.
};

/// The wait for one record, to be awaited once: a `Result<void>`.
///
/// Lifetime: in the frame that awaits it. The frame is not resumed after the end of the recorder.
/// Cost:     a place in its batch, and one in the loop's turn.
class [[nodiscard]] Recorder::Commit {
 public:
  /// `batch` is null if the configuration does not wait for records.
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
  Batch* batch_;  ///< Null once the result is known.
  bool is_recorded_;
  std::optional<Wakeup> wakeup_;
  Deadline deadline_;  ///< For the work of another thread.
};

}  // namespace bartizan
