#include "gateway/store/store.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "gateway/runtime/clock.h"
#include "gateway/runtime/log.h"
#include "gateway/store/database.h"
#include "gateway/store/migrations.h"

namespace bartizan {

/// The waiting jobs, and the thread's work. The thread keeps it alive while a disk blocks the
/// thread.
class Store::Desk {
 public:
  explicit Desk(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<void> add(Job job) {
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_) return fail(ErrorCode::closed, Fault::gateway, "the state file is closed");
      if (waiting_.size() >= limits::state_jobs_max) {
        return fail(ErrorCode::overloaded, Fault::gateway,
                    "too many changes wait for the state file: its disk does not keep up");
      }
      waiting_.push_back(std::move(job));
    }
    wanted_.notify_one();
    return {};
  }

  /// The thread: works until all is done and nothing more comes.
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wanted_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      {
        Job job = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        Tell tell = job(*database_);
        settle();
        lock.lock();
        // The lock keeps the loop: it ends after `end`.
        if (!is_left_) tell();
      }
    }
    lock.unlock();
    // The last one that closes it copies what was written ahead.
    database_.reset();
    lock.lock();
    has_ended_ = true;
    ended_.notify_all();
  }

  /// Whether all that was taken is done by then; nothing is taken any more.
  bool end() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    wanted_.notify_all();
    const bool in_time =
        ended_.wait_for(lock, limits::state_deadline, [this] { return has_ended_; });
    is_left_ = !in_time;
    return in_time;
  }

  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  bool is_failing() const { return is_failing_.load(std::memory_order_relaxed); }

 private:
  /// Says once that the file fails, or works again.
  void settle() {
    const std::uint64_t failures = database_->failures();
    const bool failed = failures_.exchange(failures, std::memory_order_relaxed) != failures;
    if (is_failing_.exchange(failed, std::memory_order_relaxed) == failed) return;
    if (failed) {
      log(LogLevel::error, "state file failing", {{"detail", database_->failure()}});
    } else {
      log(LogLevel::info, "state file recovered");
    }
  }

  std::unique_ptr<Database> database_;  ///< The thread's.
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<bool> is_failing_ = false;

  std::mutex mutex_;
  std::condition_variable wanted_, ended_;
  std::deque<Job> waiting_;  ///< Under the mutex, as all that follows.
  bool is_ending_ = false;
  bool has_ended_ = false;
  bool is_left_ = false;
};

Store::Store(std::shared_ptr<Desk> desk)
    : desk_(std::move(desk)), thread_(start_thread([desk = desk_] { desk->run(); })) {}

Store::~Store() {
  close();
}

Result<std::shared_ptr<Store>> Store::open(const std::string& path) {
  Result<StateFile> file = StateFile::open(path);
  if (!file.has_value()) return std::unexpected(file.error());
  Result<std::unique_ptr<Database>> database = Database::open(std::move(*file));
  if (!database.has_value()) return std::unexpected(database.error());
  const Result<void> migrated = migrate(**database, migrations());
  if (!migrated.has_value()) return std::unexpected(migrated.error());
  // The constructor is private, so that there is none that is not open.
  return std::shared_ptr<Store>(new Store(std::make_shared<Desk>(std::move(*database))));
}

Result<void> Store::add(Job job) {
  return desk_->add(std::move(job));
}

Result<void> Store::tell(Work<void> work) {
  return add([work = std::move(work)](Database& database) mutable -> Tell {
    // It counts and is logged where it fails.
    [[maybe_unused]] const Result<void> done = work(database);
    return [] {};
  });
}

std::unexpected<Error> Store::late() {
  return fail(ErrorCode::timed_out, Fault::gateway,
              "the disk of the state file did not answer in time: the change may still be applied");
}

void Store::close() {
  if (!thread_.joinable()) return;
  if (desk_->end()) return thread_.join();
  log(LogLevel::error, "state file left behind",
      {{"detail", "its disk does not answer; waiting changes are not applied"}});
  thread_.detach();
}

std::uint64_t Store::failures() const {
  return desk_->failures();
}

bool Store::is_failing() const {
  return desk_->is_failing();
}

}  // namespace bartizan
