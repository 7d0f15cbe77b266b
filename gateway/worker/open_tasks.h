#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/record.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/worker/shared_limits.h"
#include "policy/redact/redactor.h"

namespace bartizan {

namespace limits {
/// How many tasks are remembered, of one principal and of all: those in progress, and the last that
/// ended.
inline constexpr std::size_t tasks_of_principal_max = 128;
inline constexpr std::size_t tasks_max = 4096;
/// The most bytes of a server's task id.
inline constexpr std::size_t task_id_bytes_max = 512;
/// A task is forgotten if its client does not poll it for this time, or for twice the polling
/// interval of its server, a day at most.
inline constexpr std::chrono::hours task_idle{1};
inline constexpr std::chrono::hours task_idle_max{24};
}  // namespace limits

/// The call that a server answered with a task.
struct TaskOrigin {
  std::string principal;
  std::string endpoint;  ///< Empty where there are none.
  std::string server;
  std::uint64_t generation = 0;  ///< Of the server's definition: another one is another server.
  std::string server_id;         ///< The task's id as its server gave it.
  std::string client_id;         ///< As the client has it: sealed.
  std::string tool;              ///< The server's name of it, as records have it.
  std::string request;           ///< The call as it was judged: a JSON-RPC message.
  std::string source;            ///< Where it came from: `ip:port`.
  DecisionId decision_id;
  /// The values of tokens in the call. The server got them and may repeat them.
  std::vector<Redacted> restored_tokens = {};
  std::vector<Redaction::Token> restored_values = {};
};

/// A task in progress, or one that ended and may be asked for again.
///
/// Threads: any.
class OpenTask {
 public:
  using Clock = std::chrono::steady_clock;

  OpenTask(TaskOrigin origin, MemoryBudget::Reservation memory, Clock::time_point now)
      : origin_(std::move(origin)), memory_(std::move(memory)), ends_(now + limits::task_idle) {}

  const TaskOrigin& origin() const { return origin_; }
  /// The call's limits are released when the task ends; at once if it has ended.
  void hold(HeldSlots slots);
  /// The server reported on the task: how long it keeps the task, if it said so, and its polling
  /// interval.
  void note(Clock::time_point now, std::optional<std::chrono::milliseconds> time_to_live,
            std::chrono::milliseconds interval, std::uint64_t bytes);
  /// It has ended, or its server was asked to end it. It may still be polled, and responses are
  /// charged as before.
  void end();
  bool is_over() const;
  bool is_forgotten(Clock::time_point now) const;

 private:
  const TaskOrigin origin_;
  const MemoryBudget::Reservation memory_;
  mutable std::mutex mutex_;
  HeldSlots slots_;
  Clock::time_point ends_;
  bool is_over_ = false;
};

class OpenTasks;

/// Room for one task of a principal, taken before its call is sent. Only a call with such room may
/// get a task as its response. The room is free again when this ends.
///
/// Threads: any, one at a time.
class TaskPlace {
 public:
  TaskPlace() = default;
  TaskPlace(OpenTasks& tasks, std::string principal)
      : tasks_(&tasks), principal_(std::move(principal)) {}
  TaskPlace(TaskPlace&& other) noexcept
      : tasks_(std::exchange(other.tasks_, nullptr)), principal_(std::move(other.principal_)) {}
  TaskPlace& operator=(TaskPlace&& other) noexcept;
  ~TaskPlace() { give_back(); }

  explicit operator bool() const { return tasks_ != nullptr; }

 private:
  void give_back();

  OpenTasks* tasks_ = nullptr;  ///< Null where there is none.
  std::string principal_;
};

/// All tasks that servers gave clients of this process. An id that is not here is not a task.
///
/// Threads: any. Bounded, for each principal and in all.
class OpenTasks {
 public:
  using Clock = OpenTask::Clock;

  /// A new number, which no earlier task had.
  std::uint64_t next_number();
  /// Room for one more task in progress. Empty if the principal, or all together, have too many.
  /// Lifetime: that of this.
  TaskPlace reserve(std::string_view principal);
  /// Remembers a task under its number. Ended ones make room for it.
  /// Input: the place of its call.
  std::shared_ptr<OpenTask> add(std::uint64_t number, TaskOrigin origin,
                                MemoryBudget::Reservation memory, Clock::time_point now,
                                TaskPlace place);
  /// Null if there is no such task any more.
  std::shared_ptr<OpenTask> find(std::uint64_t number) const;
  /// Forgets expired tasks, and tasks of servers that have another definition now. Their limits are
  /// released.
  void expire(Clock::time_point now, const std::function<bool(const TaskOrigin&)>& is_served);
  std::size_t size() const;

 private:
  friend class TaskPlace;
  std::size_t count(std::string_view principal, bool only_open) const;
  std::size_t count_open() const;
  bool drop_ended(std::string_view principal);

  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<OpenTask>> tasks_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< Of calls that are on their way.
  std::size_t places_in_all_ = 0;
};

}  // namespace bartizan
