#include "gateway/facts/fact_gatherer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "gateway/facts/disk_facts.h"
#include "gateway/facts/name_facts.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"

namespace bartizan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreadsMax = 8;
/// The most threads of one caller; its other questions wait.
constexpr std::size_t kThreadsOfCaller = kThreadsMax / 2;
constexpr std::size_t kWaitingMax = 512;
constexpr std::size_t kWaitingOfCaller = 128;

/// The questions of one call. Used only on its loop; a thread only checks whether it exists.
struct Batch {
  Batch(Loop& loop, std::size_t questions) : signal(loop), findings(questions) {}

  Signal signal;
  std::vector<Finding> findings;
  std::size_t jobs = 0;  ///< Jobs that have not returned.
};

/// Questions for one thread, in sequence.
struct Job {
  std::size_t caller = 0;
  Loop* loop = nullptr;
  std::weak_ptr<Batch> batch = {};
  std::vector<std::size_t> places = {};  ///< The place of each question in the batch.
  std::vector<FactQuery> questions = {};
};

}  // namespace

Finding look_outside(const FactQuery& question) {
  switch (question.kind) {
    case FactQuery::Kind::place:
      return find_place(question.root, question.name);
    case FactQuery::Kind::content:
      return digest_file(question.root, question.name);
    case FactQuery::Kind::text:
      return find_text(question.root, question.name);
    case FactQuery::Kind::addresses:
      break;
  }
  return find_addresses(question.name);
}

/// Threads for one kind of work. Each keeps this object alive.
class FactGatherer::Crew : public std::enable_shared_from_this<Crew> {
 public:
  explicit Crew(AnswerQuestion answer) : answer_(std::move(answer)) {}

  /// False if too many are waiting, or no thread can be started.
  bool add(Job job) {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || !has_room(job.caller)) return false;
    if (idle_ <= waiting_.size() && threads_ < kThreadsMax) begin_thread();
    if (threads_ == 0) return false;
    waiting_.push_back(std::move(job));
    wanted_.notify_one();
    return true;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    waiting_.clear();
    wanted_.notify_all();
  }

 private:
  /// Without room, jobs that nobody waits for are dropped first.
  bool has_room(std::size_t caller) {
    const auto has_enough = [&] {
      const auto own = std::ranges::count(waiting_, caller, &Job::caller);
      return waiting_.size() < kWaitingMax && static_cast<std::size_t>(own) < kWaitingOfCaller;
    };
    if (has_enough()) return true;
    std::erase_if(waiting_, [](const Job& job) { return job.batch.expired(); });
    return has_enough();
  }

  /// The thread is detached: one in a hanging file system ends when that returns.
  void begin_thread() {
    try {
      start_thread([self = shared_from_this()] { self->work(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      // The system has no more threads; the existing ones must suffice.
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      std::optional<Job> job;
      wanted_.wait(lock, [&] {
        if (is_closed_) return true;
        job = next();
        return job.has_value();
      });
      --idle_;
      if (is_closed_) return;
      lock.unlock();
      std::vector<Finding> findings;
      for (const FactQuery& question : job->questions) {
        // The caller may have gone.
        if (job->batch.expired()) break;
        findings.push_back(answer_(question));
      }
      lock.lock();
      end(*job, std::move(findings));
    }
  }

  /// The first waiting job of a caller below its limit of threads.
  std::optional<Job> next() {
    const auto found = std::ranges::find_if(
        waiting_, [&](const Job& job) { return busy_[job.caller] < kThreadsOfCaller; });
    std::erase_if(busy_, [](const auto& one) { return one.second == 0; });
    if (found == waiting_.end()) return std::nullopt;
    Job job = std::move(*found);
    waiting_.erase(found);
    ++busy_[job.caller];
    return job;
  }

  /// The lock keeps the loop alive, since it ends after `close`. If nobody waits any more, it may
  /// have ended.
  void end(Job& job, std::vector<Finding> findings) {
    --busy_[job.caller];
    if (is_closed_) return;
    wanted_.notify_one();
    if (job.batch.expired() || findings.size() < job.questions.size()) return;
    job.loop->post_answer([batch = std::move(job.batch), places = std::move(job.places),
                           found = std::move(findings)]() mutable {
      const std::shared_ptr<Batch> asked = batch.lock();
      if (asked == nullptr) return;
      for (std::size_t i = 0; i < places.size(); ++i)
        asked->findings[places[i]] = std::move(found[i]);
      --asked->jobs;
      asked->signal.notify();
    });
  }

  AnswerQuestion answer_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<Job> waiting_;
  std::map<std::size_t, std::size_t> busy_;  ///< Threads by caller, for callers with any.
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  bool is_closed_ = false;
};

FactGatherer::FactGatherer(AnswerQuestion answer)
    : disk_(std::make_shared<Crew>(answer)), names_(std::make_shared<Crew>(std::move(answer))) {}

FactGatherer::~FactGatherer() {
  close();
}

void FactGatherer::close() {
  disk_->close();
  names_->close();
}

Task<std::vector<GatheredFact>> FactGatherer::gather(Loop& loop, std::string_view caller,
                                                     std::vector<FactQuery> questions) {
  const Clock::time_point deadline = steady_now() + limits::gathering_timeout;
  const std::size_t who = std::hash<std::string_view>()(caller);
  const auto batch = std::make_shared<Batch>(loop, questions.size());
  // The disk answers at once or hangs for all, so one thread asks it; names are resolved in
  // parallel.
  Job on_disk{.caller = who, .loop = &loop, .batch = batch};
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (questions[i].kind != FactQuery::Kind::addresses) {
      on_disk.places.push_back(i);
      on_disk.questions.push_back(questions[i]);
      continue;
    }
    Job job{.caller = who, .loop = &loop, .batch = batch};
    job.places = {i};
    job.questions = {questions[i]};
    if (names_->add(std::move(job))) ++batch->jobs;
  }
  if (!on_disk.questions.empty() && disk_->add(std::move(on_disk))) ++batch->jobs;
  while (batch->jobs > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_now());
    if (left.count() <= 0) break;
    if (co_await batch->signal.wait(left) == Signal::Woken::timed_out) break;
  }
  std::vector<GatheredFact> facts;
  facts.reserve(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i)
    facts.push_back({std::move(questions[i]), std::move(batch->findings[i])});
  co_return facts;
}

}  // namespace bartizan
