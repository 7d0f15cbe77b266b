#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"
#include "gateway/runtime/task.h"
#include "schemas/base/limits.h"
#include "schemas/base/result.h"

namespace bartizan {

class Database;

/// The state file behind a thread of its own: no loop ever waits for its disk. Who needs a table
/// asks one of the classes beside this one (`Revocations`, `RememberedHeads`).
///
/// Work is done one piece after the other, in the order in which it was taken. What was taken is
/// done, also where nobody waits for it any more; what was answered is on the disk. More than
/// `limits::state_jobs_max` that waits is refused at once; nobody waits longer than
/// `limits::state_deadline`.
///
/// Errors:   as `Database`; overloaded where too much waits; timed_out where it took too long, and
///           then it may still be done; closed.
/// Threads:  any.
/// Lifetime: closed before the loops end that wait for it. A thread that hangs in its disk then is
///           left behind, and touches nothing any more.
class Store {
 public:
  template <class T>
  using Work = std::move_only_function<Result<T>(Database&)>;

  /// Opens the file, makes it where there is none, and brings it to the present form.
  /// Errors: io_failed, a sentence for whoever runs the gateway that begins with the path.
  /// Cost:   reads the whole file; waits for its disk.
  static Result<std::shared_ptr<Store>> open(const std::string& path);

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// Awaits what `work` answers.
  template <class T>
  Task<Result<T>> ask(Loop& loop, Work<T> work);
  /// Waits for it. For start and stop, where no loop runs.
  template <class T>
  Result<T> ask_now(Work<T> work);
  /// Has it done, and waits for nothing.
  Result<void> tell(Work<void> work);

  /// Does all that was taken, and takes nothing more. A disk that does not answer is waited for no
  /// longer than `limits::state_deadline`. From its return on no loop is touched.
  void close();

  /// Times that the file could not be read or written.
  std::uint64_t failures() const;
  /// Whether the last attempt failed.
  bool is_failing() const;

 private:
  class Desk;
  /// Tells who waits, if it is still to be told.
  using Tell = std::move_only_function<void()>;
  using Job = std::move_only_function<Tell(Database&)>;
  /// What one coroutine waits for. Touched on its loop alone.
  template <class T>
  struct Answer {
    explicit Answer(Loop& loop) : signal(loop) {}
    Signal signal;
    std::optional<Result<T>> result = {};
  };

  explicit Store(std::shared_ptr<Desk> desk);
  Result<void> add(Job job);
  static std::unexpected<Error> late();

  std::shared_ptr<Desk> desk_;  ///< The thread's as well, which may outlast this object.
  std::thread thread_;
};

template <class T>
Task<Result<T>> Store::ask(Loop& loop, Work<T> work) {
  const auto answer = std::make_shared<Answer<T>>(loop);
  const Result<void> added = add([&loop, asked = std::weak_ptr(answer),
                                  work = std::move(work)](Database& database) mutable -> Tell {
    return [&loop, asked = std::move(asked), result = work(database)]() mutable {
      // Where nobody waits any more, the loop may have ended.
      if (asked.expired()) return;
      loop.post_answer([asked = std::move(asked), result = std::move(result)]() mutable {
        const std::shared_ptr<Answer<T>> waiting = asked.lock();
        if (waiting == nullptr) return;
        waiting->result.emplace(std::move(result));
        waiting->signal.notify();
      });
    };
  });
  if (!added.has_value()) co_return std::unexpected(added.error());
  co_await answer->signal.wait(limits::state_deadline);
  if (!answer->result.has_value()) co_return late();
  co_return std::move(*answer->result);
}

template <class T>
Result<T> Store::ask_now(Work<T> work) {
  const auto promise = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> answer = promise->get_future();
  const Result<void> added =
      add([promise, work = std::move(work)](Database& database) mutable -> Tell {
        return
            [promise, result = work(database)]() mutable { promise->set_value(std::move(result)); };
      });
  if (!added.has_value()) return std::unexpected(added.error());
  if (answer.wait_for(limits::state_deadline) != std::future_status::ready) return late();
  return answer.get();
}

}  // namespace bartizan
