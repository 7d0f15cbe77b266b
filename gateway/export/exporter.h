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
/// What is read from the record at once, and how many records are sent at once.
inline constexpr std::size_t export_batch_bytes = std::size_t{1} << 20;
inline constexpr std::size_t export_batch_records = 1000;
/// How often a record is looked at for more, and how long it is waited after a failure: twice as
/// long each time.
inline constexpr std::chrono::milliseconds export_look{100};
inline constexpr std::chrono::milliseconds export_pause_min{500};
inline constexpr std::chrono::milliseconds export_pause_max{30'000};
/// How long a process that ends has its sinks take what is left.
inline constexpr std::chrono::milliseconds export_end_patience{3'000};
/// Signed heads that wait for a sink; the oldest makes room.
inline constexpr std::size_t export_heads_max = 16;
}  // namespace limits

/// What became of records. Threads: any.
struct ExportCounts {
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> filtered = 0;
  std::atomic<std::uint64_t> refused = 0;    ///< That the sink will never take.
  std::atomic<std::uint64_t> failures = 0;   ///< Tries.
  std::atomic<std::uint64_t> breaks = 0;     ///< Places where the record does not follow itself.
  std::atomic<std::uint64_t> conflicts = 0;  ///< The sink has another record of that identity.
  std::atomic<std::uint64_t> position = 0;   ///< The last record that is done with.
  std::atomic<bool> is_failing = false;
};

/// What an exporter sends, and how.
struct ExporterOptions {
  std::string kind = "export";  ///< In logs, and in the name of the position's file.
  std::string name = {};
  std::function<bool(const Record&)> passes = {};  ///< What is sent.
  /// How long a closed file that is past its retention waits for it.
  std::chrono::milliseconds hold{0};
  /// Where nobody has kept a position, the record as it is now is not sent.
  bool begins_at_end = false;
};

/// Those of an `[export.NAME]`.
ExporterOptions options_of(const ExportConfig& config);

/// Sends the records of one file, and of those that were closed, to one sink, on a thread of its
/// own. Reads what the file has; no call waits for it, and nothing is kept for it in memory.
///
/// A record is done with when the sink has acknowledged it, will never take it, or the filter of
/// the export leaves it out. How far that is, is kept beside the record; a process that begins anew
/// goes on from there.
///
/// Threads: any, but for `run`.
class Exporter : public std::enable_shared_from_this<Exporter> {
 public:
  using MakeSink = std::function<Result<std::unique_ptr<Sink>>(Loop&)>;

  /// Nothing is sent before `start`.
  /// Errors: io_failed, where it cannot be told how far the sink has the record; config_invalid, as
  ///         `open_sink`.
  static Result<std::shared_ptr<Exporter>> open(ExporterOptions options, const std::string& record,
                                                const std::string& instance,
                                                const MakeSink& make_sink);
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  ~Exporter() = default;

  /// The thread keeps this alive, for as long as a sink holds it up.
  void start();
  /// Sends what the record has until now, for so long at most. What was not acknowledged then is
  /// sent by the next process; the sink may still get what is on its way.
  void end(std::chrono::milliseconds patience);

  /// Has the sink get a signed head, a compact JWS, behind the records that it is about.
  void announce_head(std::string jws);

  const ExporterOptions& options() const { return options_; }
  const ExportCounts& counts() const { return counts_; }
  /// Why nothing is sent at present, as a sentence; empty while all is well.
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
  bool is_abandoned_ = false;      ///< Under the mutex: the position is somebody else's to keep.
  std::string failure_;            ///< Under the mutex.
  std::deque<std::string> heads_;  ///< Under the mutex.

  // The thread's own.
  RecordOrigin origin_;
  AuditHead done_;  ///< The last record that is done with.
  bool is_position_kept_ = true;
  std::size_t taken_in_part_ = 0;  ///< Sends of the present part that the sink took.
  std::chrono::steady_clock::time_point position_kept_at_{};
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point end_by_{};
  std::chrono::milliseconds next_pause_ = limits::export_pause_min;

  Loop loop_{0xfffe};
  Signal wake_{loop_};
  std::unique_ptr<Sink> sink_;
};

}  // namespace bartizan
