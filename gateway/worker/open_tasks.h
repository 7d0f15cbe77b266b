#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "audit/record.h"
#include "gateway/runtime/memory_budget.h"
#include "gateway/worker/shared_limits.h"

namespace bartizan {

namespace limits {
/// Tasks of one principal, and of all, that are remembered: those in progress, and the last that
/// ended.
inline constexpr std::size_t tasks_of_principal_max = 128;
inline constexpr std::size_t tasks_max = 4096;
/// Of a server's task id.
inline constexpr std::size_t task_id_bytes_max = 512;
/// A task that its client does not ask for is forgotten after that, or after twice the interval in
/// which its server wants to be asked, a day at most.
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
  /// What the call took from the limits is given back when the task is over; at once where it is.
  void hold(HeldSlots slots);
  /// The server told of the task: how long it keeps it from now on, where it said so, and in which
  /// interval it wants to be asked.
  void note(Clock::time_point now, std::optional<std::chrono::milliseconds> time_to_live,
            std::chrono::milliseconds interval, std::uint64_t bytes);
  /// It has ended, or its server was asked to end it. It may still be asked for.
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

/// Every task that servers gave clients of this process. What is not here is no task of anybody's,
/// whatever its id says.
///
/// Threads: any. Bounded, for each principal and in all.
class OpenTasks {
 public:
  using Clock = OpenTask::Clock;

  /// A number that no task had before.
  std::uint64_t next_number();
  /// Whether the principal may have one more task in progress.
  bool has_room(std::string_view principal) const;
  /// Remembers a task under its number. Null where there is no room: ended ones make room for it.
  std::shared_ptr<OpenTask> add(std::uint64_t number, TaskOrigin origin,
                                MemoryBudget::Reservation memory, Clock::time_point now);
  /// Null where there is none of that number, or not any more.
  std::shared_ptr<OpenTask> find(std::uint64_t number) const;
  /// Forgets those whose time is over; what they held is given back.
  void expire(Clock::time_point now);
  std::size_t size() const;

 private:
  std::size_t count(std::string_view principal, bool only_open) const;
  bool drop_ended(std::string_view principal);

  mutable std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, std::shared_ptr<OpenTask>> tasks_;
};

}  // namespace bartizan
