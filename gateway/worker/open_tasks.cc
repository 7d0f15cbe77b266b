#include "gateway/worker/open_tasks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace bartizan {

void OpenTask::hold(HeldSlots slots) {
  const std::scoped_lock lock(mutex_);
  if (!is_over_) slots_ = std::move(slots);
}

void OpenTask::note(Clock::time_point now, std::optional<std::chrono::milliseconds> time_to_live,
                    std::chrono::milliseconds interval, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  slots_.add_bytes(bytes);
  const Clock::duration idle =
      std::clamp<Clock::duration>(2 * interval, limits::task_idle, limits::task_idle_max);
  ends_ = now + idle;
  if (time_to_live) ends_ = std::min<Clock::time_point>(ends_, now + *time_to_live);
}

void OpenTask::end() {
  const std::scoped_lock lock(mutex_);
  is_over_ = true;
  slots_.give_back();
}

bool OpenTask::is_over() const {
  const std::scoped_lock lock(mutex_);
  return is_over_;
}

bool OpenTask::is_forgotten(Clock::time_point now) const {
  const std::scoped_lock lock(mutex_);
  return now >= ends_;
}

std::uint64_t OpenTasks::next_number() {
  const std::scoped_lock lock(mutex_);
  return ++last_number_;
}

std::size_t OpenTasks::count(std::string_view principal, bool only_open) const {
  return static_cast<std::size_t>(std::ranges::count_if(tasks_, [&](const auto& entry) {
    return entry.second->origin().principal == principal && !(only_open && entry.second->is_over());
  }));
}

bool OpenTasks::has_room(std::string_view principal) const {
  const std::scoped_lock lock(mutex_);
  return count(principal, true) < limits::tasks_of_principal_max;
}

/// Drops the oldest task that is over, of one principal or, where `principal` is empty, of anybody.
bool OpenTasks::drop_ended(std::string_view principal) {
  const auto ended = std::ranges::find_if(tasks_, [&](const auto& entry) {
    const bool is_meant = principal.empty() || entry.second->origin().principal == principal;
    return is_meant && entry.second->is_over();
  });
  if (ended == tasks_.end()) return false;
  tasks_.erase(ended);
  return true;
}

std::shared_ptr<OpenTask> OpenTasks::add(std::uint64_t number, TaskOrigin origin,
                                         MemoryBudget::Reservation memory, Clock::time_point now) {
  const std::scoped_lock lock(mutex_);
  const bool is_full_for_one = count(origin.principal, false) >= limits::tasks_of_principal_max;
  if (is_full_for_one && !drop_ended(origin.principal)) return nullptr;
  if (tasks_.size() >= limits::tasks_max && !drop_ended("")) return nullptr;
  auto task = std::make_shared<OpenTask>(std::move(origin), std::move(memory), now);
  tasks_.emplace(number, task);
  return task;
}

std::shared_ptr<OpenTask> OpenTasks::find(std::uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(number);
  return found == tasks_.end() ? nullptr : found->second;
}

void OpenTasks::expire(Clock::time_point now) {
  std::vector<std::shared_ptr<OpenTask>> forgotten;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(tasks_, [&](const auto& entry) {
      const bool is_over = entry.second->is_forgotten(now);
      if (is_over) forgotten.push_back(entry.second);
      return is_over;
    });
  }
  // Whoever still asks for one has it, but not what it held.
  for (const std::shared_ptr<OpenTask>& task : forgotten)
    task->end();
}

std::size_t OpenTasks::size() const {
  const std::scoped_lock lock(mutex_);
  return tasks_.size();
}

}  // namespace bartizan
