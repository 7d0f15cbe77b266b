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

/// Keeps whole calls for `replay` and `learn`, if that is configured. A separate thread writes: no
/// call waits for it, and none is refused because of it. Calls that cannot be kept are counted. The
/// count is written to the file once it can be written again.
///
/// Threads: any; `configure` and `stop` one at a time. Nobody waits on a disk while holding a
///          mutex.
class CaptureLog {
 public:
  CaptureLog();
  CaptureLog(const CaptureLog&) = delete;
  CaptureLog& operator=(const CaptureLog&) = delete;
  ~CaptureLog();

  /// Sets the file for calls by this configuration, or none. `file` was opened for it. It is null
  /// if nothing is captured, or if the log has that file already.
  void configure(const std::optional<CaptureConfig>& config, std::unique_ptr<CaptureFile> file);
  /// Whether the log itself may have that file open, so that it cannot be opened again. A file that
  /// was replaced may still be written.
  bool holds(const std::string& path) const;
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  /// A number for a call that is being decided, greater than all earlier ones.
  std::uint64_t next_order() { return order_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Keeps a call: its line, and the called tool, or null.
  /// Cost: one lock, held for a move.
  void add(std::string line, std::shared_ptr<const ToolDefinition> tool);
  /// Counts a call that could not be kept.
  void count_missing();
  /// Writes the waiting calls, and accepts no more. It waits at most a few seconds for a disk, and
  /// then abandons the thread.
  void stop();

  std::uint64_t kept() const;
  std::uint64_t missing() const;

 private:
  std::atomic<bool> is_on_ = false;
  std::atomic<std::uint64_t> order_ = 0;
  std::shared_ptr<CaptureWriter> writer_;  ///< Shared with the thread, which may outlast the log.
  std::thread thread_;
};

}  // namespace bartizan
