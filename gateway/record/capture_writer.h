#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "gateway/record/capture_file.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// The state that a `CaptureLog` shares with its thread: the waiting calls, and the thread's work.
/// The thread keeps it alive while a disk blocks the thread.
///
/// Threads: any, except for `run`.
class CaptureWriter {
 public:
  using Clock = std::chrono::steady_clock;
  /// A call: its line, and the called tool, or null.
  struct Entry {
    std::string line;
    std::shared_ptr<const ToolDefinition> tool;
  };

  CaptureWriter();

  /// As `CaptureLog::configure`; takes effect after the earlier calls.
  void change(const std::optional<CaptureConfig>& config, std::unique_ptr<CaptureFile> file);
  bool holds(const std::string& path) const;
  void add(Entry entry);
  void count_missing(std::uint64_t count);
  /// Accepts no more calls. Whether all waiting calls were written or counted within that time.
  bool end(std::chrono::milliseconds patience);
  std::uint64_t kept() const { return kept_.load(std::memory_order_relaxed); }
  std::uint64_t missing() const { return missing_.load(std::memory_order_relaxed); }

  /// The thread's work: writes until `end`.
  void run();

 private:
  struct Change {
    std::optional<CaptureConfig> config;
    std::unique_ptr<CaptureFile> file;
  };
  /// Calls whose lines are written to one file with one write.
  struct Batch {
    std::string lines = {};
    std::vector<Entry> entries = {};
    std::uint64_t told_missing = 0;
  };

  void follow(Change change);
  void open();
  void keep(std::vector<Entry> entries);
  void keep(Entry entry, Batch& batch);
  bool make_room(std::size_t bytes, Batch& batch);
  void begin(Batch& batch);
  std::string lines_of(const Entry& entry);
  void start_new_file();
  void compose_anew(Batch& batch);
  Result<void> write(Batch& batch);
  void flush(Batch& batch);
  void rotate();
  void keep_age();
  void settle(const Result<void>& done);
  bool is_new(const Entry& entry) const;
  std::uint64_t segment_max() const { return config_->max_size / 2; }

  const std::string run_;  ///< Names this process in captures.
  std::atomic<std::uint64_t> kept_ = 0, missing_ = 0;
  std::atomic<std::uint64_t> untold_ = 0;  ///< The missing ones that no file reports.

  mutable std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::vector<Entry> waiting_;  ///< Guarded by the mutex, as the members up to the thread's own.
  std::size_t waiting_bytes_ = 0;
  std::optional<Change> change_;
  /// Files that the thread may have open: at most two.
  std::set<std::string, std::less<>> held_;
  bool is_ending_ = false, has_ended_ = false;

  // Only for the thread.
  std::optional<CaptureConfig> config_;
  std::unique_ptr<CaptureFile> file_;  ///< Null if nothing is captured, or it cannot be opened.
  std::set<std::string> defined_;      ///< Fingerprints that this file explains.
  bool is_begun_ = false;              ///< This file names the run of its last lines.
  bool is_told_ = false;               ///< The failure of capturing was logged.
  Clock::time_point told_at_{}, next_look_{};
};

}  // namespace bartizan
