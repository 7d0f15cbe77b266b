#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "audit/follow_chain.h"
#include "config/export_config.h"
#include "gateway/export/export_position.h"
#include "gateway/export/sink.h"
#include "gateway/runtime/signal.h"

namespace bartizan {

namespace limits {
/// The most bytes read from the record at once, and the most records sent at once.
inline constexpr std::size_t export_batch_bytes = std::size_t{1} << 20;
inline constexpr std::size_t export_batch_records = 1000;
/// The interval of checks for new records, and the bounds of the pause after a failure, which
/// doubles each time.
inline constexpr std::chrono::milliseconds export_look{100};
inline constexpr std::chrono::milliseconds export_pause_min{500};
inline constexpr std::chrono::milliseconds export_pause_max{30'000};
/// How long an ending process waits for its sinks.
inline constexpr std::chrono::milliseconds export_end_patience{3'000};
/// The most signed heads that wait for a sink; the oldest is dropped.
inline constexpr std::size_t export_heads_max = 16;
}  // namespace limits

/// The results of an export. Threads: any.
struct ExportCounts {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> filtered = 0;
  std::atomic<std::uint64_t> refused = 0;    ///< The sink will never take these.
  std::atomic<std::uint64_t> failures = 0;   ///< Failed attempts.
  std::atomic<std::uint64_t> breaks = 0;     ///< Breaks in the record's chain.
  std::atomic<std::uint64_t> conflicts = 0;  ///< The sink has another record with that identity.
  std::atomic<std::uint64_t> position = 0;   ///< The last finished record.
  std::atomic<bool> is_failing = false;
};

/// What an exporter sends, and how.
struct ExporterOptions {
  std::string kind = "export";  ///< Also part of the name of the position's file.
  std::string name = {};
  std::function<bool(const Record&)> passes = {};  ///< The records to send.
  /// How long a closed file past its retention is kept for this export.
  std::chrono::milliseconds hold{0};
  /// Without a kept position, existing records are not sent.
  bool begins_at_end = false;
};

/// The options of an `[export.NAME]`.
ExporterOptions options_of(const ExportConfig& config);

/// Sends the records of one file and of its closed predecessors to one sink, on a thread of its
/// own. It reads from the files, so no call waits for it, and no record is kept for it in memory.
///
/// A record is finished when the sink has acknowledged it, when the sink will never take it, or
/// when the export's filter leaves it out. The position is kept beside the record, and the next
/// process continues from there.
///
/// Threads: any, except for `run`.
class Exporter : public std::enable_shared_from_this<Exporter> {
 public:
  using MakeSink = std::function<Result<std::unique_ptr<Sink>>(Loop&)>;

  /// Opens an exporter. Nothing is sent before `start`.
  /// Errors: io_failed, if the position cannot be read; config_invalid, as `open_sink`.
  static Result<std::shared_ptr<Exporter>> open(ExporterOptions options, const std::string& record,
                                                const std::string& instance,
                                                const MakeSink& make_sink);
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  ~Exporter() = default;

  /// Starts the thread. It keeps this object alive, even while a sink blocks it.
  void start();
  /// Sends the remaining records, for at most `patience`. Unacknowledged ones are sent again by the
  /// next process; the sink may get them twice.
  void end(std::chrono::milliseconds patience);

  /// Sends the sink a signed head, a compact JWS, after the records that it covers.
  void announce_head(std::string jws);

  const ExporterOptions& options() const { return options_; }
  const ExportCounts& counts() const { return counts_; }
  /// Why nothing is sent at present, as a sentence; empty if nothing fails.
  std::string failure() const;

 private:
  Exporter(ExporterOptions options, std::string record, std::string instance);
  Task<void> run();
  Task<bool> find_origin();
  Task<bool> deliver(const FollowedBatch& batch);
  Task<bool> deliver_part(std::span<const ExportedRecord> records);
  Task<bool> deliver_heads();
  Task<bool> flush();
  std::string position_file() const;
  Task<bool> pause(std::chrono::milliseconds time);
  Task<bool> fail_and_pause(const std::string& why);
  bool is_over() const;
  void acknowledge(const AuditHead& head);
  void keep_position();
  void tell_failure(const std::string& why);
  void tell_success();
  void tell_refused(std::uint64_t first, const Delivery& delivery);
  void tell_break(const std::string& problem);
  void tell_conflict(const std::string& conflict);

  const ExporterOptions options_;
  const std::string record_;
  ExportCounts counts_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool has_started_ = false, has_ended_ = false;  ///< Under the mutex.
  bool is_abandoned_ = false;      ///< Under the mutex. Another exporter keeps the position now.
  std::string failure_;            ///< Under the mutex.
  std::deque<std::string> heads_;  ///< Under the mutex.

  // Used only by the thread.
  RecordOrigin origin_;
  AuditHead done_;  ///< The last finished record.
  bool is_position_kept_ = true;
  std::size_t taken_in_part_ = 0;  ///< Sends of the current part that the sink took.
  std::chrono::steady_clock::time_point position_kept_at_{};
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point end_by_{};
  std::chrono::milliseconds next_pause_ = limits::export_pause_min;

  Loop loop_{0xfffe};
  Signal wake_{loop_};
  std::unique_ptr<Sink> sink_;
};

}  // namespace bartizan
