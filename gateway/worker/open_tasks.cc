#include "gateway/worker/open_tasks.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace bartizan {

void OpenTask::hold(HeldSlots slots) {
  const std::scoped_lock lock(mutex_);
  if (is_over_) slots.give_back();
  slots_ = std::move(slots);
}

void OpenTask::note(Clock::time_point now, std::optional<std::chrono::milliseconds> time_to_live,
                    std::chrono::milliseconds interval, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  slots_.charge(bytes);
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

std::size_t OpenTasks::count_open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks_, [](const auto& entry) { return !entry.second->is_over(); }));
}

TaskPlace& TaskPlace::operator=(TaskPlace&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  tasks_ = std::exchange(other.tasks_, nullptr);
  principal_ = std::move(other.principal_);
  return *this;
}

void TaskPlace::give_back() {
  OpenTasks* const tasks = std::exchange(tasks_, nullptr);
  if (tasks == nullptr) return;
  const std::scoped_lock lock(tasks->mutex_);
  --tasks->places_in_all_;
  const auto found = tasks->places_.find(principal_);
  if (--found->second == 0) tasks->places_.erase(found);
}

TaskPlace OpenTasks::reserve(std::string_view principal) {
  const std::scoped_lock lock(mutex_);
  const auto found = places_.find(principal);
  const std::size_t places = found == places_.end() ? 0 : found->second;
  if (count(principal, true) + places >= limits::tasks_of_principal_max) return {};
  if (count_open() + places_in_all_ >= limits::tasks_max) return {};
  ++places_in_all_;
  ++places_[std::string(principal)];
  return {*this, std::string(principal)};
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
                                         MemoryBudget::Reservation memory, Clock::time_point now,
                                         TaskPlace place) {
  if (!place) return nullptr;
  const std::scoped_lock lock(mutex_);
  if (count(origin.principal, false) >= limits::tasks_of_principal_max) {
    drop_ended(origin.principal);
  }
  if (tasks_.size() >= limits::tasks_max) drop_ended("");
  auto task = std::make_shared<OpenTask>(std::move(origin), std::move(memory), now);
  tasks_.emplace(number, task);
  return task;
}

std::shared_ptr<OpenTask> OpenTasks::find(std::uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(number);
  return found == tasks_.end() ? nullptr : found->second;
}

void OpenTasks::expire(Clock::time_point now,
                       const std::function<bool(const TaskOrigin&)>& is_served) {
  std::vector<std::shared_ptr<OpenTask>> forgotten;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(tasks_, [&](const auto& entry) {
      const bool is_over = entry.second->is_forgotten(now) || !is_served(entry.second->origin());
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
