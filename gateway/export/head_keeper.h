#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "config/audit_config.h"
#include "gateway/export/exports.h"
#include "gateway/launch/launcher.h"
#include "gateway/record/shared_log.h"
#include "gateway/runtime/signal.h"
#include "gateway/token/record_key.h"

namespace bartizan {

namespace limits {
/// The time for a disk to store the record, or a head.
inline constexpr std::chrono::milliseconds head_disk_deadline{30'000};
/// The time for it while the process ends.
inline constexpr std::chrono::milliseconds head_end_patience{3'000};
}  // namespace limits

/// Appends a head to a file, on a line of its own, and waits until it is on the disk. The file may
/// be on another disk, or on one that is append-only.
Result<void> append_head(const std::string& path, const std::string& jws);

/// The value of `HeadKeeper::signature` for that configuration.
std::string signature_of(const SignedHeadConfig& config, const std::string& instance);

/// The results of signed heads. Threads: any.
struct HeadCounts {
  std::atomic<std::uint64_t> kept = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<std::uint64_t> sequence = 0;  ///< The last record that a kept head covers.
  std::atomic<std::int64_t> signed_at = 0;  ///< Of that head, in seconds since 1970 UTC.
};

/// Signs the head of the record periodically, after it is on the disk, and stores it elsewhere: in
/// a file, by a program, in exports. A stored head proves that no record up to it was changed or
/// removed, and when that was so.
///
/// A head that cannot be stored is logged. The next one covers the same records.
/// Threads:  one at a time; works on a thread of its own.
class HeadKeeper {
 public:
  /// Appends a head to the file at a path. Called on a thread of its own, since a disk may hang.
  using Append = std::function<Result<void>(const std::string& path, const std::string& jws)>;

  /// Opens a keeper. Nothing is signed before `start`. Errors: config_invalid, for a key that
  /// cannot be read.
  static Result<std::unique_ptr<HeadKeeper>> open(const SignedHeadConfig& config,
                                                  const std::string& record,
                                                  const std::string& instance,
                                                  Append append = append_head);
  HeadKeeper(const HeadKeeper&) = delete;
  HeadKeeper& operator=(const HeadKeeper&) = delete;
  /// Ends without another head.
  ~HeadKeeper();

  /// Starts the thread. Lifetime: the log, the exports and the launcher outlive this.
  void start(SharedLog& log, Exports& exports, const Launcher& launcher,
             std::shared_ptr<HeadCounts> counts);
  /// Stores a last head, and ends. Waits at most `limits::head_end_patience` for a disk that hangs.
  void end();

  /// Changes when the configuration or the key changes.
  const std::string& signature() const { return signature_; }

 private:
  /// The reference for other threads. Null after the keeper has ended.
  struct WayBack {
    std::mutex mutex;
    HeadKeeper* keeper;
  };

  HeadKeeper(SignedHeadConfig config, std::string record, std::string instance, RecordKey key,
             Append append);
  void stop(bool keeps_last);
  Task<void> run();
  Task<void> keep();
  template <class Answer, class Begin>
  Task<std::optional<Answer>> ask(Begin begin);
  Task<Result<AuditHead>> durable_head();
  Task<Result<void>> append_to_file(const std::string& jws);
  void fail_to_keep(const Error& error, std::string_view where);
  void tell(const std::string& why, std::string_view where);

  const SignedHeadConfig config_;
  const std::string record_;
  RecordOrigin origin_;
  const RecordKey key_;
  const Append append_;
  const std::string signature_;
  SharedLog* log_ = nullptr;  ///< Set by `start`, as the two below.
  Exports* exports_ = nullptr;
  const Launcher* launcher_ = nullptr;
  std::shared_ptr<HeadCounts> counts_;
  bool is_ending_ = false;
  bool keeps_last_ = false;
  std::chrono::steady_clock::time_point end_by_{};
  std::string told_;  ///< The failure that was logged last.
  std::uint64_t questions_ =
      0;  ///< Requests to other threads. A response to an older one is dropped.
  std::shared_ptr<std::atomic<bool>> is_appending_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<WayBack> way_back_ = std::make_shared<WayBack>();
  Loop loop_{0xfffd};
  Signal wake_{loop_};
  Signal answered_{loop_};
  std::thread thread_;
};

}  // namespace bartizan
