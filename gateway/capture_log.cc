#include "gateway/capture_log.h"

#include <algorithm>
#include <utility>

#include "audit/digest.h"
#include "gateway/log.h"
#include "gateway/random.h"
#include "policy/capture.h"

namespace bartizan {
namespace {

using std::chrono::system_clock;

/// What waits for the disk at most; beyond it calls are counted only.
constexpr std::size_t kWaitingBytesMax = std::size_t{16} << 20;
/// So long, or until so much has come, calls are gathered before they are written together.
constexpr std::chrono::milliseconds kGather{50};
constexpr std::size_t kGatherBytes = std::size_t{1} << 20;
/// How often the age of files is looked at where no calls come.
constexpr std::chrono::seconds kLookAgain{5};
/// A disk that is full and is not, in turns, must not fill the log.
constexpr std::chrono::minutes kTellAgain{1};
/// Tools that one file explains; a server could have ever new ones. Beyond it all are explained
/// again.
constexpr std::size_t kDefinedMax = 10'000;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

std::string draw_name() {
  Random random;
  const auto bytes = random.draw<8>();
  Digester digester;
  const auto hex = hex_text(
      digester.sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  return {hex.data(), 16};
}

}  // namespace

CaptureLog::CaptureLog() : run_(draw_name()) {}

CaptureLog::~CaptureLog() {
  stop();
}

void CaptureLog::configure(const std::optional<CaptureConfig>& config,
                           std::unique_ptr<CaptureFile> file) {
  {
    const std::lock_guard lock(mutex_);
    if (!config.has_value() && !thread_.joinable()) return;
    // One that nobody has followed yet may have brought the file.
    if (file == nullptr && change_.has_value() && config.has_value()) {
      file = std::move(change_->file);
    }
    change_ = Change{config, std::move(file)};
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  is_on_ = config.has_value();
  wanted_.notify_one();
}

void CaptureLog::stop() {
  is_on_ = false;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wanted_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void CaptureLog::add(std::string line, std::shared_ptr<const ToolDefinition> tool) {
  const std::size_t bytes = line.size() + sizeof(Entry);
  bool is_wanted = false;
  bool has_room = false;
  {
    const std::lock_guard lock(mutex_);
    has_room = waiting_bytes_ + bytes <= kWaitingBytesMax && !ending_;
    if (has_room) {
      // The thread is asked once for the first, and once more where much has come.
      is_wanted = waiting_.empty() ||
                  (waiting_bytes_ < kGatherBytes && waiting_bytes_ + bytes >= kGatherBytes);
      waiting_bytes_ += bytes;
      waiting_.push_back({std::move(line), std::move(tool)});
    }
  }
  if (!has_room) return count_missing();
  if (is_wanted) wanted_.notify_one();
}

void CaptureLog::count_missing(std::uint64_t count) {
  missing_.fetch_add(count, std::memory_order_relaxed);
  untold_.fetch_add(count, std::memory_order_relaxed);
}

// --- The thread ---------------------------------------------------------------------------------

void CaptureLog::run() {
  std::unique_lock lock(mutex_);
  bool is_over = false;
  while (!is_over) {
    wanted_.wait_for(lock, kLookAgain,
                     [this] { return ending_ || change_.has_value() || !waiting_.empty(); });
    if (!waiting_.empty()) {
      wanted_.wait_for(lock, kGather, [this] {
        return ending_ || change_.has_value() || waiting_bytes_ >= kGatherBytes;
      });
    }
    is_over = ending_;
    std::vector<Entry> entries = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    std::optional<Change> change = std::exchange(change_, std::nullopt);
    lock.unlock();
    // What came before a change belongs where it was to go then, if there was such a place.
    const bool is_first = change.has_value() && file_ == nullptr;
    if (is_first) follow(*std::move(change));
    keep(std::move(entries));
    if (change.has_value() && !is_first) follow(*std::move(change));
    keep_age();
    lock.lock();
  }
}

void CaptureLog::follow(Change change) {
  config_ = std::move(change.config);
  if (config_.has_value() && change.file == nullptr) return;
  if (change.file != nullptr) {
    log(LogLevel::warning, "whole calls are captured", {{"file", change.file->path()}});
  } else if (file_ != nullptr) {
    log(LogLevel::info, "calls are captured no more", {{"file", file_->path()}});
  }
  file_ = std::move(change.file);
  next_look_ = {};
  defined_.clear();
  is_begun_ = false;
  is_failing_ = false;
}

void CaptureLog::keep(std::vector<Entry> entries) {
  if (file_ == nullptr) return;
  Batch batch;
  for (Entry& entry : entries)
    keep(std::move(entry), batch);
  if (untold_.load(std::memory_order_relaxed) > 0) begin(batch);
  flush(batch);
}

void CaptureLog::keep(Entry entry, Batch& batch) {
  for (bool is_again = false;; is_again = true) {
    begin(batch);
    std::string lines;
    const bool is_new = entry.tool != nullptr && !defined_.contains(entry.tool->fingerprint);
    if (is_new) lines = definition_line(entry.tool->fingerprint, entry.tool->raw) + '\n';
    lines += entry.line + '\n';
    if (file_->size() + batch.lines.size() + lines.size() > segment_max()) {
      // One that fits no file is missing.
      if (is_again) return count_missing();
      flush(batch);
      rotate();
      continue;
    }
    if (defined_.size() >= kDefinedMax) defined_.clear();
    if (is_new) defined_.insert(entry.tool->fingerprint);
    batch.lines += lines;
    ++batch.calls;
    return;
  }
}

/// Each file says which run its calls are of, and where some are missing.
void CaptureLog::begin(Batch& batch) {
  if (batch.lines.empty()) {
    if (!file_->is_in_place()) {
      is_begun_ = false;
      defined_.clear();
    }
    if (!is_begun_) batch.lines = run_line(run_, now_ms()) + '\n';
  }
  const std::uint64_t untold = untold_.exchange(0, std::memory_order_relaxed);
  if (untold == 0) return;
  batch.told_missing += untold;
  batch.lines += missing_line(untold, now_ms()) + '\n';
}

void CaptureLog::flush(Batch& batch) {
  if (batch.calls == 0 && batch.told_missing == 0) {
    batch = {};
    return;
  }
  const Result<void> done = file_->append(batch.lines, now_ms());
  if (done.has_value()) {
    is_begun_ = true;
    kept_.fetch_add(batch.calls, std::memory_order_relaxed);
  } else {
    // They are gone; that there were any is told when it can be.
    untold_.fetch_add(batch.told_missing, std::memory_order_relaxed);
    count_missing(batch.calls);
    defined_.clear();
  }
  settle(done);
  batch = {};
}

void CaptureLog::rotate() {
  if (file_->size() > 0) {
    const Result<void> done = file_->rotate();
    if (!done.has_value()) settle(done);
  }
  is_begun_ = false;
  defined_.clear();
}

/// Half the time in one file, and then half of it beside the next: no call is kept for longer.
void CaptureLog::keep_age() {
  if (file_ == nullptr || !config_.has_value()) return;
  if (Clock::now() < next_look_) return;
  next_look_ = Clock::now() + kLookAgain;
  const std::int64_t now = now_ms();
  const auto began = file_->began_ms();
  if (began.has_value() && now - *began >= config_->max_age.count() / 2) rotate();
  const Result<void> dropped = file_->drop_older(now - config_->max_age.count());
  if (!dropped.has_value()) settle(dropped);
}

/// Says that capturing fails, or works again, now and then.
void CaptureLog::settle(const Result<void>& done) {
  if (done.has_value() && !is_failing_) return;
  const bool was_failing = std::exchange(is_failing_, !done.has_value());
  const bool is_soon = Clock::now() - told_at_ < kTellAgain && told_at_ != Clock::time_point();
  if (done.has_value()) {
    return log(LogLevel::info, "capture recovered",
               {{"missing", std::to_string(missing_.load(std::memory_order_relaxed))}});
  }
  if (was_failing || is_soon) return;
  told_at_ = Clock::now();
  log(LogLevel::error, "capture failing",
      {{"detail", done.error().detail}, {"calls", "pass, and are not kept"}});
}

}  // namespace bartizan
