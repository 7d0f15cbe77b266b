#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gateway/loop.h"
#include "gateway/shared_log.h"
#include "gateway/signal.h"

namespace bartizan {

/// One worker's way to the log: group commit. Records that are committed until the loop has taken
/// all that was ready are linked and written together, and their calls go on together.
///
/// Threads: those of its loop.
class Recorder {
 public:
  /// How a record becomes bytes.
  using Encode = std::function<EncodedRecord(const Record&)>;

  Recorder(
      Loop& loop, SharedLog& log,
      Encode encode = [](const Record& record) { return encode_record(record); })
      : loop_(loop), log_(log), encode_(std::move(encode)) {}

  /// Takes the record at once, and returns from the wait when it is as durable as the configuration
  /// asks for.
  /// Errors:   not_recordable; the call is then refused.
  /// Lifetime: nothing of `record` is looked at behind the call.
  Task<Result<void>> commit(const Record& record);
  /// The same without waiting, for what is refused anyway: a record that is lost is counted.
  void note(const Record& record);
  std::size_t pending() const { return records_.size(); }

 private:
  struct Batch;
  Task<Result<void>> wait_for(std::shared_ptr<Batch> batch);
  void schedule();
  void flush();
  static void finish(const std::shared_ptr<Batch>& batch, bool recorded);

  Loop& loop_;
  SharedLog& log_;
  Encode encode_;
  std::vector<EncodedRecord> records_;
  std::shared_ptr<Batch> batch_;
  bool scheduled_ = false;
};

}  // namespace bartizan
