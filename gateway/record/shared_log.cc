#include "gateway/record/shared_log.h"

#include <sys/statvfs.h>

#include <utility>

#include "audit/audit_file.h"
#include "audit/file_name.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"

namespace bartizan {
namespace {

using std::chrono::system_clock;

/// How long the record's file is taken to be as it was found.
constexpr std::chrono::milliseconds kLookAgain{2};
/// Retentions are at least hours.
constexpr std::chrono::minutes kRemovalAgain{10};
/// After a file could not be removed: each attempt leaves a record.
constexpr std::chrono::hours kRemovalAfterFailure{1};
constexpr std::chrono::seconds kRotationAfterFailure{10};
/// Less space than for that many files is a warning before it is an outage.
constexpr std::uint64_t kFilesLeftMin = 2;

EncodedRecord report(RecordKind kind, std::uint64_t count, std::string_view detail) {
  return encode_record({.kind = kind, .time = system_now(), .count = count, .detail = detail});
}

}  // namespace

SharedLog::SharedLog(AuditLog log, const AuditConfig& config, std::chrono::milliseconds upkeep)
    : log_(std::move(log)),
      config_(config),
      path_(log_.path()),
      every_(upkeep),
      durability_(config.durability) {
  configure(config);
  look_at_space();
  upkeep_ = start_thread([this] { run_upkeep(); });
}

SharedLog::~SharedLog() {
  {
    const std::lock_guard lock(upkeep_mutex_);
    ending_ = true;
  }
  upkeep_wanted_.notify_one();
  if (upkeep_.joinable()) upkeep_.join();
}

void SharedLog::configure(const AuditConfig& config) {
  const std::lock_guard lock(mutex_);
  config_ = config;
  durability_ = config.durability;
  const bool is_disk = config.durability == AuditConfig::Durability::disk;
  log_.keep(is_disk ? AuditLog::Keep::until_durable : AuditLog::Keep::nothing);
  if (!is_disk) sync_failed_ = false;
}

// --- Appending ----------------------------------------------------------------------------------

Result<void> SharedLog::append(std::vector<EncodedRecord> records, Way way) {
  bool is_full = false;
  bool is_write_back_due = false;
  {
    const std::lock_guard lock(mutex_);
    const Result<void> done = append_locked(std::move(records), way);
    settle(done);
    if (!done.has_value()) return done;
    is_full = log_.size() >= config_.rotate_size && !rotation_failing_;
    is_write_back_due = log_.is_write_back_due();
  }
  if (!is_full && !is_write_back_due) return {};
  {
    const std::lock_guard lock(upkeep_mutex_);
    const bool is_news = (is_full && !full_) || (is_write_back_due && !write_back_due_);
    if (!is_news) return {};
    full_ = full_ || is_full;
    write_back_due_ = write_back_due_ || is_write_back_due;
  }
  upkeep_wanted_.notify_one();
  return {};
}

Result<void> SharedLog::append_locked(std::vector<EncodedRecord> records, Way way) {
  if (sync_failed_) {
    return fail(ErrorCode::not_recordable, Fault::gateway, failure_);
  }
  const Result<void> repaired = log_.repair();
  if (!repaired.has_value()) return repaired;
  const std::uint64_t lost = lost_.exchange(0, std::memory_order_relaxed);
  if (lost > 0 || is_failing()) {
    records.insert(records.begin(),
                   report(RecordKind::gap, lost, "refusals while the record could not be written"));
  }
  const std::uint64_t torn = log_.torn_bytes();
  const std::string detail = std::to_string(torn) + " bytes of a torn record were cut off";
  if (torn > 0) records.insert(records.begin(), report(RecordKind::repair, 0, detail));
  const bool is_spooled = way == Way::spool && !is_failing();
  const AuditLog::Look now = look(is_spooled ? spool_looked_ : looked_);
  const Result<AuditHead> head =
      is_spooled ? log_.append_spooled(records, now) : log_.append(records, now);
  tell_of_spool();
  if (head.has_value()) {
    if (torn > 0) log(LogLevel::warning, "record repaired", {{"detail", detail}});
    return {};
  }
  lost_.fetch_add(lost, std::memory_order_relaxed);
  return std::unexpected(head.error());
}

/// Whether the file, or the spool, is to be looked at, which costs a system call each time.
/// Somebody who changes it is noticed that much later, and as long as recording fails, at once.
AuditLog::Look SharedLog::look(std::chrono::steady_clock::time_point& looked) const {
  const auto now = steady_now();
  if (!is_failing() && now - looked < kLookAgain) return AuditLog::Look::later;
  looked = now;
  return AuditLog::Look::at_file;
}

/// Says once why there is none, though it is tried again each second.
void SharedLog::tell_of_spool() {
  const std::string& problem = log_.spool_problem();
  if (problem.empty() || problem == told_of_spool_) return;
  told_of_spool_ = problem;
  log(LogLevel::warning, "record not spooled",
      {{"detail", problem + "; each turn writes to the file, which takes longer"}});
}

void SharedLog::drain() {
  const std::lock_guard lock(mutex_);
  const Result<void> drained = log_.drain();
  if (!drained.has_value()) settle(drained);
}

void SharedLog::end_spooling() {
  drain();
  const std::lock_guard lock(mutex_);
  log_.discard_empty_spool();
}

// Says once that recording fails or works again, and keeps the reason for who asks.
void SharedLog::settle(const Result<void>& done) {
  const bool failed = !done.has_value();
  if (failed) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    const std::string start = "audit file " + path_ + ": ";
    const std::string& detail = done.error().detail;
    failure_ = detail.starts_with(start) ? detail.substr(start.size()) : detail;
  }
  if (failing_.exchange(failed, std::memory_order_relaxed) == failed) return;
  log(failed ? LogLevel::error : LogLevel::info, failed ? "record failing" : "record recovered",
      {{"detail", failed ? done.error().detail : "calls are accepted again"}});
}

AuditHead SharedLog::head() {
  const std::lock_guard lock(mutex_);
  return log_.head();
}

std::string SharedLog::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// --- Keeping it up ------------------------------------------------------------------------------

void SharedLog::sync(Loop& loop, std::move_only_function<void(bool)> done) {
  {
    const std::lock_guard lock(upkeep_mutex_);
    waiting_.push_back({&loop, std::move(done)});
  }
  upkeep_wanted_.notify_one();
}

void SharedLog::sync_head(HeadFor what,
                          std::move_only_function<void(const Result<AuditHead>&)> done) {
  {
    const std::lock_guard lock(upkeep_mutex_);
    heads_wanted_.at(static_cast<std::size_t>(what)) = std::move(done);
  }
  upkeep_wanted_.notify_one();
}

void SharedLog::ask_before_removing(WaitsFor waits_for) {
  const std::lock_guard turn(turn_mutex_);
  waits_for_ = std::move(waits_for);
}

void SharedLog::run_upkeep() {
  auto next = steady_now() + every_;
  std::unique_lock lock(upkeep_mutex_);
  while (true) {
    upkeep_wanted_.wait_for(lock, next - steady_now(), [this] {
      return ending_ || full_ || write_back_due_ || heads_wanted_[0] || heads_wanted_[1] ||
             !waiting_.empty();
    });
    if (ending_ && waiting_.empty()) return;
    std::vector<Waiting> group = std::exchange(waiting_, {});
    auto heads_wanted = std::exchange(heads_wanted_, {});
    const bool is_full = std::exchange(full_, false);
    const bool is_write_back_due = std::exchange(write_back_due_, false);
    lock.unlock();
    const bool synced = [&] {
      const std::lock_guard turn(turn_mutex_);
      return !group.empty() && sync_now();
    }();
    for (Waiting& one : group) {
      one.loop->post_answer([done = std::move(one.done), synced]() mutable { done(synced); });
    }
    if (heads_wanted[0] || heads_wanted[1]) {
      const Result<AuditHead> head = [this] {
        const std::lock_guard turn(turn_mutex_);
        return sync_head_in_turn();
      }();
      for (auto& wanted : heads_wanted) {
        if (wanted) wanted(head);
      }
    }
    if (is_write_back_due) write_back();
    if (is_full || steady_now() >= next) {
      const bool is_more_due = keep_up(system_now());
      next = steady_now() + (is_more_due ? std::chrono::milliseconds(0) : every_);
    }
    lock.lock();
  }
}

// True means that everything appended before this began is on the disk. After a failure nothing
// counts until all of it was written again: the kernel forgets what it could not write.
bool SharedLog::sync_now() {
  AuditLog::SyncJob job;
  {
    const std::lock_guard lock(mutex_);
    job = log_.begin_sync();
  }
  const Result<void> done = job.run();
  const std::lock_guard lock(mutex_);
  log_.end_sync(job, done);
  const bool matters = durability_ == AuditConfig::Durability::disk;
  sync_failed_ = matters && !done.has_value();
  if (sync_failed_) settle(done);
  return done.has_value();
}

// Where nothing is kept until it is durable, a sync that failed leaves nothing to write again, and
// the next one succeeds all the same. It says nothing of what was written before the failure, and
// all of what was written after it: a head is answered again once the file has grown, or the next
// one begun. Where a loss of power then shows that older records are gone, the record has in fact
// lost them.
Result<AuditHead> SharedLog::sync_head_in_turn() {
  AuditHead head;
  std::uint64_t bytes = 0;
  std::shared_ptr<const AuditFile> file;
  {
    const std::lock_guard lock(mutex_);
    const Result<void> drained = log_.drain();
    if (!drained.has_value()) return std::unexpected(drained.error());
    head = log_.head();
    bytes = log_.size();
    file = log_.file();
  }
  if (durability() == AuditConfig::Durability::disk) {
    if (sync_now()) return head;
    return file_refused("audit file " + path_ + ": cannot be made durable");
  }
  Result<void> synced = file->sync();
  if (synced.has_value()) synced = sync_folder(path_);
  if (synced.has_value() && bytes <= file->unsure_bytes()) {
    return file_refused("audit file " + path_ + ": a sync failed, and no record came since");
  }
  const bool is_failed = !synced.has_value();
  if (std::exchange(head_sync_failed_, is_failed) != is_failed) {
    log(is_failed ? LogLevel::warning : LogLevel::info,
        is_failed ? "record not synced" : "record synced again",
        {{"detail", is_failed ? synced.error().detail : "up to record " + head.text()}});
  }
  if (is_failed) return std::unexpected(synced.error());
  return head;
}

// Behind those who wait for the disk, and without the mutex: where a disk is slow, beginning to
// write waits, too.
void SharedLog::write_back() {
  const auto job = [this] {
    const std::lock_guard lock(mutex_);
    // It may have been asked for twice; what a job has just begun to write is not there yet.
    return log_.is_write_back_due() ? log_.begin_write_back() : AuditLog::WriteBackJob();
  }();
  job.run();
}

bool SharedLog::keep_up(Time now) {
  const std::lock_guard turn(turn_mutex_);
  std::exchange(closed_rest_, {}).run();
  {
    const std::lock_guard lock(mutex_);
    Result<void> ready = log_.check_place();
    if (ready.has_value()) ready = log_.drain();
    if (!ready.has_value()) settle(ready);
    log_.release_idle_spool();
  }
  if (is_failing()) recover();
  if (!is_failing()) rotate_if_due(now);
  const bool is_more_due = !is_failing() && remove_expired(now);
  look_at_space();
  return is_more_due;
}

// The gap record is the attempt: who waits for /readyz sends no calls that would be one.
void SharedLog::recover() {
  const bool is_disk = durability() == AuditConfig::Durability::disk;
  if (is_disk && !sync_now()) return;
  const Result<void> written = append({});
  if (written.has_value() && is_disk) sync_now();
}

void SharedLog::rotate_if_due(Time now) {
  if (now < next_rotation_ && next_rotation_ - now <= kRotationAfterFailure) return;
  Result<std::string> rotated;
  AuditLog::WriteBackJob rest;
  {
    const std::lock_guard lock(mutex_);
    const auto began = log_.began();
    const bool is_old = began && now - *began >= config_.rotate_age && !log_.is_just_begun();
    if (log_.size() < config_.rotate_size && !is_old) {
      rotation_failing_ = false;
      return;
    }
    Result<void> whole = append_locked({});
    rest = log_.begin_write_back();
    rotated = whole.has_value() ? log_.rotate(now) : std::unexpected(whole.error());
    // Where the chain did not move the old file goes on as if nothing had been; calls pass.
    whole = append_locked({});
    if (!whole.has_value()) settle(whole);
  }
  rest.run();
  rotation_failing_ = !rotated.has_value();
  if (!rotated.has_value()) {
    next_rotation_ = now + kRotationAfterFailure;
    return log(LogLevel::warning, "record not rotated", {{"detail", rotated.error().detail}});
  }
  rotations_.fetch_add(1, std::memory_order_relaxed);
  next_removal_ = {};
  log(LogLevel::info, "record rotated", {{"file", *rotated}, {"head", head().text()}});
  sync_now();
  closed_rest_ = std::move(rest);
}

// Whether there is another one to remove. One in each turn: a retention that begins to hold beside
// hundreds of files must not keep those who wait for the disk.
bool SharedLog::remove_expired(Time now) {
  const auto retention = [this] {
    const std::lock_guard lock(mutex_);
    return config_.retention;
  }();
  const bool is_soon = now < next_removal_ && next_removal_ - now <= kRemovalAfterFailure;
  if (retention && removable_.empty() && !is_soon) {
    next_removal_ = now + kRemovalAgain;
    const auto files = find_chain(path_);
    if (files) removable_.assign(files->begin(), files->end());
  }
  const bool is_removed = retention && !removable_.empty() && remove_oldest(now, *retention);
  if (!is_removed) removable_.clear();
  return is_removed;
}

// Removes the oldest first, and stops at a file that stays, so that the rest is one chain. The
// record comes first, so that verification can tell removed files from missing ones.
bool SharedLog::remove_oldest(Time now, Time::duration retention) {
  const ChainFile file = std::move(removable_.front());
  removable_.pop_front();
  if (file.path == path_ || now - file.ended < retention) return false;
  std::string waits = waits_for_ ? waits_for_(file, now, retention) : "";
  if (waits != told_waits_ && !waits.empty()) {
    log(LogLevel::warning, "record file kept beyond its retention",
        {{"file", file.path}, {"detail", waits}});
  }
  told_waits_ = std::move(waits);
  if (!told_waits_.empty()) return false;
  const std::string head = file.last.text();
  const EncodedRecord record = encode_record({.kind = RecordKind::file_removed,
                                              .time = now,
                                              .count = file.last.sequence - file.before.sequence,
                                              .file = name_of(file.path),
                                              .head = head});
  if (!append({record}).has_value()) return false;
  if (durability() == AuditConfig::Durability::disk && !sync_now()) return false;
  const Result<void> removed = remove_file(file);
  if (!removed.has_value()) {
    next_removal_ = now + kRemovalAfterFailure;
    log(LogLevel::warning, "record file not removed",
        {{"file", file.path}, {"detail", removed.error().detail}});
    return false;
  }
  removed_.fetch_add(1, std::memory_order_relaxed);
  log(LogLevel::info, "record file removed", {{"file", file.path}, {"head", head}});
  return true;
}

void SharedLog::look_at_space() {
  struct statvfs status{};
  if (::statvfs(folder_of(path_).c_str(), &status) != 0) return;
  const std::uint64_t left = std::uint64_t{status.f_bavail} * status.f_frsize;
  free_bytes_.store(left, std::memory_order_relaxed);
  const std::uint64_t needed = [this] {
    const std::lock_guard lock(mutex_);
    return kFilesLeftMin * config_.rotate_size;
  }();
  const bool is_low = left < needed;
  if (space_low_.exchange(is_low, std::memory_order_relaxed) == is_low) return;
  log(is_low ? LogLevel::warning : LogLevel::info,
      is_low ? "space for the record is low" : "space for the record is enough",
      {{"free", left}, {"wanted", needed}});
}

}  // namespace bartizan
