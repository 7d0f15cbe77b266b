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
#include <thread>
#include <vector>

#include "config/config.h"
#include "gateway/capture_file.h"
#include "schemas/tool_definition.h"

namespace bartizan {

/// Where whole calls are kept for `replay` and `learn`, if somebody wants them. A thread of its own
/// writes: no call waits for it, and none is refused because of it. What cannot be kept is counted,
/// and told in the file once it can be written again.
///
/// Threads: any. Nobody waits on a disk while holding a mutex.
class CaptureLog {
 public:
  CaptureLog();
  CaptureLog(const CaptureLog&) = delete;
  CaptureLog& operator=(const CaptureLog&) = delete;
  ~CaptureLog();

  /// From now on calls go where this configuration says, or nowhere. `file` is what was opened for
  /// it; null where the present one stays, or nothing is to be captured.
  void configure(const std::optional<CaptureConfig>& config, std::unique_ptr<CaptureFile> file);
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  /// A number for a call that is being decided, greater than all before.
  std::uint64_t next_order() { return order_.fetch_add(1, std::memory_order_relaxed) + 1; }
  /// Keeps a call: its line, and the tool that it called, or null.
  /// Cost: one lock, held for a move.
  void add(std::string line, std::shared_ptr<const ToolDefinition> tool);
  /// Counts a call that could not be kept.
  void count_missing(std::uint64_t count = 1);
  /// Writes what is there, and nothing more.
  void stop();

  std::uint64_t kept() const { return kept_.load(std::memory_order_relaxed); }
  std::uint64_t missing() const { return missing_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string line;
    std::shared_ptr<const ToolDefinition> tool;
  };
  struct Change {
    std::optional<CaptureConfig> config;
    std::unique_ptr<CaptureFile> file;
  };
  /// Lines that go into one file with one write.
  struct Batch {
    std::string lines = {};
    std::uint64_t calls = 0;
    std::uint64_t told_missing = 0;
  };

  void run();
  void follow(Change change);
  void keep(std::vector<Entry> entries);
  void keep(Entry entry, Batch& batch);
  void begin(Batch& batch);
  void flush(Batch& batch);
  void rotate();
  void keep_age();
  void settle(const Result<void>& done);
  std::uint64_t segment_max() const { return config_->max_size / 2; }

  const std::string run_;  ///< Names this process in captures.
  std::atomic<bool> is_on_ = false;
  std::atomic<std::uint64_t> order_ = 0, kept_ = 0, missing_ = 0;
  std::atomic<std::uint64_t> untold_ = 0;  ///< Of the missing ones, those that no file tells of.

  std::mutex mutex_;
  std::condition_variable wanted_;
  std::vector<Entry> waiting_;  ///< Under the mutex, as all until the thread.
  std::size_t waiting_bytes_ = 0;
  std::optional<Change> change_;
  bool ending_ = false;
  std::thread thread_;

  // The thread's own.
  std::optional<CaptureConfig> config_;
  std::unique_ptr<CaptureFile> file_;
  std::set<std::string> defined_;  ///< Fingerprints that this file explains.
  bool is_begun_ = false;          ///< This file says which run its last lines are of.
  bool is_failing_ = false;
  Clock::time_point told_at_{}, next_look_{};
};

}  // namespace bartizan
