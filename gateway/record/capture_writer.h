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

/// What a `CaptureLog` shares with its thread: the calls that wait for the disk, and the thread's
/// work. The thread keeps it alive for as long as a disk holds it.
///
/// Threads: any, but for `run`.
class CaptureWriter {
 public:
  using Clock = std::chrono::steady_clock;
  /// A call: its line, and the tool that it called, or null.
  struct Entry {
    std::string line;
    std::shared_ptr<const ToolDefinition> tool;
  };

  CaptureWriter();

  /// As `CaptureLog::configure`; takes effect behind the calls that came before.
  void change(const std::optional<CaptureConfig>& config, std::unique_ptr<CaptureFile> file);
  bool holds(const std::string& path) const;
  void add(Entry entry);
  void count_missing(std::uint64_t count);
  /// Whether all that waited was written, or counted, until then; nothing is taken any more.
  bool end(std::chrono::milliseconds patience);
  std::uint64_t kept() const { return kept_.load(std::memory_order_relaxed); }
  std::uint64_t missing() const { return missing_.load(std::memory_order_relaxed); }

  /// The thread: writes until it is to end.
  void run();

 private:
  struct Change {
    std::optional<CaptureConfig> config;
    std::unique_ptr<CaptureFile> file;
  };
  /// Calls whose lines go into one file with one write.
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
  std::atomic<std::uint64_t> untold_ = 0;  ///< Of the missing ones, those that no file tells of.

  mutable std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::vector<Entry> waiting_;  ///< Under the mutex, as all until the thread's own.
  std::size_t waiting_bytes_ = 0;
  std::optional<Change> change_;
  /// Files that the thread may have open: two at most.
  std::set<std::string, std::less<>> held_;
  bool is_ending_ = false, has_ended_ = false;

  // The thread's own.
  std::optional<CaptureConfig> config_;
  std::unique_ptr<CaptureFile> file_;  ///< Null where nothing is captured, or it cannot be opened.
  std::set<std::string> defined_;      ///< Fingerprints that this file explains.
  bool is_begun_ = false;              ///< This file says which run its last lines are of.
  bool is_told_ = false;               ///< The log said that capturing fails.
  Clock::time_point told_at_{}, next_look_{};
};

}  // namespace bartizan
