#include "gateway/runtime/loop.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "gateway/runtime/block_cache.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// Parsers kept for the next call, how much memory one of them may hold, and all of them.
constexpr std::size_t kDocumentsKept = 1024;
constexpr std::size_t kDocumentBytesKept = std::size_t{1} << 20;
constexpr std::size_t kDocumentsBytesKept = std::size_t{16} << 20;

/// The most rounds of work within one turn. The rest waits until other ready work was looked at.
constexpr int kRoundsPerTurn = 16;
/// Asio is looked at in every so many turns, as long as the poller finds something in each: to find
/// that it has nothing costs two system calls. So many of its handlers are run then.
constexpr int kTurnsPerLook = 4;
constexpr int kHandlersPerLook = 64;

/// A loop that found no socket ready after so many turns waits at once after the next ones: where
/// one client calls, what follows a turn is always a wait.
constexpr int kVainLooks = 8;
/// A wait that ends sooner was none: something was ready.
constexpr std::chrono::microseconds kShortestWait{5};

/// How long the end of a task elsewhere is waited for at once; the task has deadlines of its own.
constexpr std::chrono::minutes kLook{1};

Task<void> run_and_tell(Task<void> task, Loop& asking, std::shared_ptr<Signal> ended) {
  co_await task;
  asking.post_answer([ended = std::move(ended)] { ended->notify(); });
}

}  // namespace

Loop::Loop(std::uint16_t index) : index_(index), work_(io_.get_executor()) {}

Loop::~Loop() {
  poller_.abandon();
  is_ending_ = true;
  // A frame that is dropped may ask for more, which goes to Asio then, and ends with it.
  turn_.clear();
  at_end_.clear();
}

void Loop::run() {
  KeptBlocks kept;
  thread_.store(std::this_thread::get_id(), kRelaxed);
  spawn(*this, tick());
  begin_turn();
  look_at_asio(false);  // What was posted before it ran comes first.
  end_turn();
  while (!io_.stopped()) {
    begin_turn();
    bool has_work = look_at_sockets();
    run_rounds();
    has_work = has_work || !turn_.empty() || !at_end_.empty();
    if (!has_work) wait();
    const bool is_woken_by_sockets = !has_work && !poller_.is_armed();
    if (!is_woken_by_sockets) look_at_asio(has_work);
    end_turn();
  }
  end_turns();
  thread_.store({}, kRelaxed);
}

/// Resumes who waits for a socket that is ready. Where the loop would wait at once, and such looks
/// were in vain many times, it does not look: what is ready ends the wait.
bool Loop::look_at_sockets() {
  const bool would_wait = turn_.empty() && at_end_.empty();
  if (!std::exchange(has_waited_, false) && would_wait && vain_looks_ >= kVainLooks) return false;
  const std::size_t ready = poller_.resume_ready();
  if (ready > 1) vain_looks_ = 0;
  return ready > 0;
}

/// The poller is armed before Asio waits, so no event is missed.
void Loop::wait() {
  const auto before = coarse_now();
  poller_.arm();
  io_.run_one();
  begin_turn();  // Time has passed.
  has_waited_ = true;
  const bool was_short = coarse_now() - before < kShortestWait;
  vain_looks_ = was_short ? 0 : std::min(vain_looks_ + 1, kVainLooks);
  run_rounds();
}

/// Runs what Asio has: seldom, while there is other work.
void Loop::look_at_asio(bool has_work) {
  if (has_work && ++turns_without_look_ < kTurnsPerLook) return;
  turns_without_look_ = 0;
  for (int handlers = 0; handlers < kHandlersPerLook && io_.poll_one() > 0; ++handlers)
    run_rounds();
}

void Loop::end_turn() {
  run_all(at_end_);
  run_rounds();
}

void Loop::run_rounds() {
  for (int round = 0; round < kRoundsPerTurn && !turn_.empty(); ++round)
    run_all(turn_);
}

/// Runs what was asked for there until now; what that asks for is left.
void Loop::run_all(Work& asked) {
  std::swap(running_, asked);
  for (Asked& one : running_) {
    if (auto* wakeup = std::get_if<Wakeup>(&one)) {
      (*wakeup)();
    } else {
      std::get<std::move_only_function<void()>>(one)();
    }
  }
  running_.clear();
}

void Loop::run_in_turn(std::move_only_function<void()> work) {
  ask(turn_, std::move(work));
}
void Loop::run_in_turn(Wakeup wakeup) {
  ask(turn_, std::move(wakeup));
}

void Loop::run_at_end_of_turn(std::move_only_function<void()> work) {
  ask(at_end_, std::move(work));
}
void Loop::run_at_end_of_turn(Wakeup wakeup) {
  ask(at_end_, std::move(wakeup));
}

template <class Function>
void Loop::ask(Work& place, Function work) {
  assert(is_current() || thread_.load(kRelaxed) == std::thread::id());
  if (is_ending_) return asio::post(io_, std::move(work));
  place.emplace_back(std::move(work));
}

Task<void> Loop::tick() {
  SteadyTimer timer(executor());
  const auto start = steady_now();
  while (true) {
    timer.expires_after(limits::timer_tick);
    const auto [error] = co_await timer.async_wait(kAwait);
    if (error) co_return;
    const auto passed = steady_now() - start;
    wheel_.advance(static_cast<std::uint64_t>(passed / limits::timer_tick));
  }
}

std::unique_ptr<JsonDocument> Loop::lease_document() {
  if (documents_.empty()) return std::make_unique<JsonDocument>();
  FreeDocument taken = std::move(documents_.back());
  documents_.pop_back();
  documents_bytes_ -= taken.bytes;
  return std::move(taken.document);
}

void Loop::give_back(std::unique_ptr<JsonDocument> document) {
  if (document == nullptr || documents_.size() >= kDocumentsKept) return;
  const std::size_t bytes = document->capacity();
  if (bytes > kDocumentBytesKept || documents_bytes_ + bytes > kDocumentsBytesKept) return;
  documents_bytes_ += bytes;
  documents_.push_back({std::move(document), bytes});
}

bool Loop::send(std::move_only_function<void()> work) {
  if (mailbox_.fetch_add(1, std::memory_order_relaxed) >= limits::mailbox_messages_max) {
    mailbox_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  asio::post(io_, [this, work = std::move(work)]() mutable {
    mailbox_.fetch_sub(1, std::memory_order_relaxed);
    work();
  });
  return true;
}

void Loop::send_answer(std::move_only_function<void()> work) {
  asio::post(io_, std::move(work));
}

void spawn(Loop& loop, Task<void> task) {
  if (loop.is_current()) return std::move(task).detach();
  asio::post(loop.io(), [task = std::move(task)]() mutable { std::move(task).detach(); });
}

Task<void> run_on(Loop& asking, Loop& asked, Task<void> task) {
  // Shared: the task may end after its caller.
  const auto ended = std::make_shared<Signal>(asking);
  spawn(asked, run_and_tell(std::move(task), asking, ended));
  while (co_await ended->wait(kLook) == Signal::Woken::timed_out) {
  }
}

}  // namespace bartizan
