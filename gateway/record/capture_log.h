#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "config/config.h"
#include "gateway/record/capture_file.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

class CaptureWriter;

/// Where whole calls are kept for `replay` and `learn`, if somebody wants them. A thread of its own
/// writes: no call waits for it, and none is refused because of it. What cannot be kept is counted,
/// and told in the file once it can be written again.
///
/// Threads: any; `configure` and `stop` one at a time. Nobody waits on a disk while holding a
/// mutex.
class CaptureLog {
 public:
  CaptureLog();
  CaptureLog(const CaptureLog&) = delete;
  CaptureLog& operator=(const CaptureLog&) = delete;
  ~CaptureLog();

  /// From now on calls go where this configuration says, or nowhere. `file` is what was opened for
  /// it; null where nothing is to be captured, and where the log has that file already.
  void configure(const std::optional<CaptureConfig>& config, std::unique_ptr<CaptureFile> file);
  /// Whether the log itself may have that file open, so that nobody else can open it: one that it
  /// was told to leave may still be written.
  bool holds(const std::string& path) const;
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  /// A number for a call that is being decided, greater than all before.
  std::uint64_t next_order() { return order_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Keeps a call: its line, and the tool that it called, or null.
  /// Cost: one lock, held for a move.
  void add(std::string line, std::shared_ptr<const ToolDefinition> tool);
  /// Counts a call that could not be kept.
  void count_missing();
  /// Writes what is there, and nothing more. A disk that does not answer is waited for no longer
  /// than a few seconds, and then left behind.
  void stop();

  std::uint64_t kept() const;
  std::uint64_t missing() const;

 private:
  std::atomic<bool> is_on_ = false;
  std::atomic<std::uint64_t> order_ = 0;
  std::shared_ptr<CaptureWriter> writer_;  ///< The thread's as well, which may outlast the log.
  std::thread thread_;
};

}  // namespace bartizan
