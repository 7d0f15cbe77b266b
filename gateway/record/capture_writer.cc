#include "gateway/record/capture_writer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "audit/digest.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/runtime/random.h"
#include "policy/learn/capture.h"

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
/// More than the lines that say which run it is and how many are missing, and than what stands
/// around what a server lists of a tool.
constexpr std::size_t kHeadMax = 512;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(system_now().time_since_epoch())
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

std::size_t most_bytes(const CaptureWriter::Entry& entry) {
  const std::size_t tool = entry.tool == nullptr ? 0 : entry.tool->raw.size() + kHeadMax;
  return kHeadMax + tool + entry.line.size();
}

}  // namespace

CaptureWriter::CaptureWriter() : run_(draw_name()) {}

void CaptureWriter::change(const std::optional<CaptureConfig>& config,
                           std::unique_ptr<CaptureFile> file) {
  std::unique_ptr<CaptureFile> unused;  // Is closed behind the lock.
  {
    const std::lock_guard lock(mutex_);
    if (change_.has_value()) unused = std::move(change_->file);
    // One that nobody has followed yet may have brought the file.
    const bool is_wanted = unused != nullptr && file == nullptr && config.has_value() &&
                           unused->path() == config->file;
    if (is_wanted) file = std::move(unused);
    change_ = Change{config, std::move(file)};
  }
  wanted_.notify_one();
}

bool CaptureWriter::holds(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return held_.contains(path);
}

void CaptureWriter::add(Entry entry) {
  const std::size_t bytes = entry.line.size() + sizeof(Entry);
  bool is_wanted = false;
  bool has_room = false;
  {
    const std::lock_guard lock(mutex_);
    has_room = waiting_bytes_ + bytes <= kWaitingBytesMax && !is_ending_;
    if (has_room) {
      // The thread is asked once for the first, and once more where much has come.
      is_wanted = waiting_.empty() ||
                  (waiting_bytes_ < kGatherBytes && waiting_bytes_ + bytes >= kGatherBytes);
      waiting_bytes_ += bytes;
      waiting_.push_back(std::move(entry));
    }
  }
  if (!has_room) return count_missing(1);
  if (is_wanted) wanted_.notify_one();
}

void CaptureWriter::count_missing(std::uint64_t count) {
  missing_.fetch_add(count, std::memory_order_relaxed);
  untold_.fetch_add(count, std::memory_order_relaxed);
}

bool CaptureWriter::end(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  wanted_.notify_one();
  return ended_.wait_for(lock, patience, [this] { return has_ended_; });
}

// --- The thread ---------------------------------------------------------------------------------

void CaptureWriter::run() {
  std::unique_lock lock(mutex_);
  bool is_over = false;
  while (!is_over) {
    wanted_.wait_for(lock, kLookAgain,
                     [this] { return is_ending_ || change_.has_value() || !waiting_.empty(); });
    if (!waiting_.empty()) {
      wanted_.wait_for(lock, kGather, [this] {
        return is_ending_ || change_.has_value() || waiting_bytes_ >= kGatherBytes;
      });
    }
    is_over = is_ending_;
    std::vector<Entry> entries = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    std::optional<Change> change = std::exchange(change_, std::nullopt);
    lock.unlock();
    // What came before a change belongs where it was to go then, if there was such a place.
    const bool is_first = change.has_value() && !config_.has_value();
    if (is_first) follow(*std::move(change));
    keep(std::move(entries));
    if (change.has_value() && !is_first) follow(*std::move(change));
    keep_age();
    lock.lock();
  }
  has_ended_ = true;
  ended_.notify_all();
}

void CaptureWriter::follow(Change change) {
  const bool was_on = config_.has_value();
  config_ = std::move(change.config);
  const bool stays = config_.has_value() && change.file == nullptr && file_ != nullptr &&
                     file_->path() == config_->file;
  if (stays) return;
  if (config_.has_value()) {
    log(LogLevel::warning, "whole calls are captured", {{"file", config_->file}});
    const std::lock_guard lock(mutex_);
    held_.insert(config_->file);
  } else if (was_on) {
    log(LogLevel::info, "calls are captured no more", {});
  }
  file_ = std::move(change.file);
  next_look_ = {};
  is_told_ = false;
  start_new_file();
  if (file_ == nullptr && config_.has_value()) open();
  const std::lock_guard lock(mutex_);
  held_.clear();
  if (config_.has_value()) held_.insert(config_->file);
}

/// Opens what nobody else could open while this thread had it.
void CaptureWriter::open() {
  Result<std::unique_ptr<CaptureFile>> file = CaptureFile::open(config_->file);
  if (!file.has_value()) return settle(std::unexpected(file.error()));
  file_ = *std::move(file);
  start_new_file();
}

void CaptureWriter::keep(std::vector<Entry> entries) {
  if (!config_.has_value()) return;
  if (file_ == nullptr && !entries.empty()) open();
  if (file_ == nullptr) return count_missing(entries.size());
  Batch batch;
  for (Entry& entry : entries)
    keep(std::move(entry), batch);
  if (untold_.load(std::memory_order_relaxed) > 0 && make_room(kHeadMax, batch)) begin(batch);
  flush(batch);
}

void CaptureWriter::keep(Entry entry, Batch& batch) {
  // One that fits no file is missing, and takes no other's place.
  if (most_bytes(entry) > segment_max()) return count_missing(1);
  const std::size_t bytes = is_new(entry) ? most_bytes(entry) : kHeadMax + entry.line.size();
  if (!make_room(bytes, batch)) return count_missing(1);
  begin(batch);
  batch.lines += lines_of(entry);
  batch.entries.push_back(std::move(entry));
}

bool CaptureWriter::is_new(const Entry& entry) const {
  return entry.tool != nullptr && !defined_.contains(entry.tool->fingerprint);
}

/// Whether so many more fit, if need be in a new file, where everything is explained once more.
bool CaptureWriter::make_room(std::size_t bytes, Batch& batch) {
  if (file_->size() + batch.lines.size() + bytes <= segment_max()) return true;
  flush(batch);
  rotate();
  return file_->size() == 0;
}

/// Each file says which run its calls are of, and where some are missing.
void CaptureWriter::begin(Batch& batch) {
  if (batch.lines.empty() && !is_begun_) batch.lines = run_line(run_, now_ms()) + '\n';
  const std::uint64_t untold = untold_.exchange(0, std::memory_order_relaxed);
  if (untold == 0) return;
  batch.told_missing += untold;
  batch.lines += missing_line(untold, now_ms()) + '\n';
}

/// The call's own, behind what explains its tool, unless the file does.
std::string CaptureWriter::lines_of(const Entry& entry) {
  std::string lines;
  if (is_new(entry)) {
    if (defined_.size() >= kDefinedMax) defined_.clear();
    lines = definition_line(entry.tool->fingerprint, entry.tool->raw) + '\n';
    defined_.insert(entry.tool->fingerprint);
  }
  return lines + entry.line + '\n';
}

void CaptureWriter::start_new_file() {
  is_begun_ = false;
  defined_.clear();
}

/// Writes the lines of a batch as the first ones of a file.
void CaptureWriter::compose_anew(Batch& batch) {
  start_new_file();
  batch.lines = run_line(run_, now_ms()) + '\n';
  if (batch.told_missing > 0) batch.lines += missing_line(batch.told_missing, now_ms()) + '\n';
  for (const Entry& entry : batch.entries)
    batch.lines += lines_of(entry);
}

Result<void> CaptureWriter::write(Batch& batch) {
  if (!file_->is_in_place()) {
    // Somebody took it away, and its lines with it.
    const Result<void> taken = file_->retake();
    if (!taken.has_value()) return taken;
    compose_anew(batch);
  }
  return file_->append(batch.lines, now_ms());
}

void CaptureWriter::flush(Batch& batch) {
  if (!batch.entries.empty() || batch.told_missing > 0) {
    const Result<void> done = write(batch);
    if (done.has_value()) {
      is_begun_ = true;
      kept_.fetch_add(batch.entries.size(), std::memory_order_relaxed);
    } else {
      // They are gone; that there were any is told when it can be.
      untold_.fetch_add(batch.told_missing, std::memory_order_relaxed);
      count_missing(batch.entries.size());
      defined_.clear();
    }
    settle(done);
  }
  batch = {};
}

/// What cannot be put aside is given up: neither the size nor the age of what is kept may grow
/// because a folder cannot be written.
void CaptureWriter::rotate() {
  if (file_->size() > 0) {
    const Result<void> done = file_->rotate();
    if (!done.has_value()) {
      settle(done);
      const Result<void> emptied = file_->empty();
      if (!emptied.has_value()) settle(emptied);
    }
  }
  start_new_file();
}

/// Half the time in one file, and then half of it beside the next: no call is kept for longer.
void CaptureWriter::keep_age() {
  if (file_ == nullptr || !config_.has_value()) return;
  if (steady_now() < next_look_) return;
  next_look_ = steady_now() + kLookAgain;
  const std::int64_t now = now_ms();
  const auto began = file_->began_ms();
  if (began.has_value() && now - *began >= config_->max_age.count() / 2) rotate();
  const Result<void> dropped = file_->drop_older(now - config_->max_age.count());
  if (!dropped.has_value()) settle(dropped);
}

/// Says that capturing fails, or works again, now and then.
void CaptureWriter::settle(const Result<void>& done) {
  if (done.has_value()) {
    if (!std::exchange(is_told_, false)) return;
    return log(LogLevel::info, "capture recovered", {{"missing", missing()}});
  }
  const bool is_soon = steady_now() - told_at_ < kTellAgain && told_at_ != Clock::time_point();
  if (is_told_ || is_soon) return;
  is_told_ = true;
  told_at_ = steady_now();
  log(LogLevel::error, "capture failing",
      {{"detail", done.error().detail}, {"calls", "pass, and are not kept"}});
}

}  // namespace bartizan
