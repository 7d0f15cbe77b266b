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

/// The state file, used by a thread of its own: loops never wait for its disk. Callers use the
/// classes of its tables beside this one (`Revocations`, `RememberedHeads`).
///
/// Jobs run one after the other, in the order of their acceptance. An accepted job is run even if
/// its caller has given up. An answered job is on the disk. A job is refused at once if
/// `limits::state_jobs_max` wait. Callers wait for at most `limits::state_deadline`.
///
/// Errors:   as `Database`; overloaded if too many jobs wait; timed_out after the deadline, when
///           the job may still be run; closed.
/// Threads:  any.
/// Lifetime: closed before the end of the loops that wait for it. If the thread hangs in its disk
///           then, it is abandoned, and no longer touches a loop.
class Store {
 public:
  template <class T>
  using Work = std::move_only_function<Result<T>(Database&)>;

  /// Opens the file, creates it if missing, and brings it to the current form.
  /// Errors: io_failed, with a sentence for operators that begins with the path.
  /// Cost:   reads the whole file; waits for its disk.
  static Result<std::shared_ptr<Store>> open(const std::string& path);

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// Runs `work` and waits for its answer.
  template <class T>
  Task<Result<T>> ask(Loop& loop, Work<T> work);
  /// Blocks until it is done. For start and stop, when no loop runs.
  template <class T>
  Result<T> ask_now(Work<T> work);
  /// Runs `work` without waiting.
  Result<void> tell(Work<void> work);

  /// Runs all accepted jobs and accepts no more. Waits for at most `limits::state_deadline` if the
  /// disk does not answer. No loop is touched after it returns.
  void close();

  /// How often the file could not be read or written.
  std::uint64_t failures() const;
  /// Whether the last attempt failed.
  bool is_failing() const;

 private:
  class Desk;
  /// Delivers the answer, if it is still wanted.
  using Tell = std::move_only_function<void()>;
  using Job = std::move_only_function<Tell(Database&)>;
  /// The answer that one coroutine waits for. Touched only on its loop.
  template <class T>
  struct Answer {
    explicit Answer(Loop& loop) : signal(loop) {}
    Signal signal;
    std::optional<Result<T>> result = {};
  };

  explicit Store(std::shared_ptr<Desk> desk);
  Result<void> add(Job job);
  static std::unexpected<Error> late();

  std::shared_ptr<Desk> desk_;  ///< Shared with the thread, which may outlast this object.
  std::thread thread_;
};

template <class T>
Task<Result<T>> Store::ask(Loop& loop, Work<T> work) {
  const auto answer = std::make_shared<Answer<T>>(loop);
  const Result<void> added = add([&loop, asked = std::weak_ptr(answer),
                                  work = std::move(work)](Database& database) mutable -> Tell {
    return [&loop, asked = std::move(asked), result = work(database)]() mutable {
      // Without a waiting caller, the loop may have ended.
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
