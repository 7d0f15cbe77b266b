#include "gateway/worker/open_tasks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr OpenTask::Clock::time_point kNow{hours(100)};

std::shared_ptr<OpenTask> add(OpenTasks& tasks, const std::string& principal) {
  return tasks.add(tasks.next_number(), {.principal = principal, .decision_id = {}}, {}, kNow,
                   tasks.reserve(principal));
}

bool has_room(OpenTasks& tasks, const std::string& principal) {
  return static_cast<bool>(tasks.reserve(principal));
}

bool is_served(const TaskOrigin& /*origin*/) {
  return true;
}

TEST(OpenTasks, AreFoundByTheirNumbers) {
  OpenTasks tasks;
  const std::uint64_t number = tasks.next_number();
  const auto task =
      tasks.add(number, {.principal = "ann", .decision_id = {}}, {}, kNow, tasks.reserve("ann"));
  EXPECT_EQ(tasks.find(number), task);
  EXPECT_EQ(tasks.find(number + 1), nullptr);
  EXPECT_EQ(tasks.find(0), nullptr);
  EXPECT_NE(tasks.next_number(), number);
}

TEST(OpenTasks, AreBoundedForEachPrincipal) {
  OpenTasks tasks;
  const auto first = add(tasks, "ann");
  for (std::size_t i = 1; i < limits::tasks_of_principal_max; ++i) {
    EXPECT_TRUE(has_room(tasks, "ann"));
    EXPECT_NE(add(tasks, "ann"), nullptr);
  }
  EXPECT_FALSE(has_room(tasks, "ann"));
  EXPECT_EQ(add(tasks, "ann"), nullptr) << "one too many";
  EXPECT_TRUE(has_room(tasks, "bob"));
  EXPECT_NE(add(tasks, "bob"), nullptr) << "another's";
  first->end();
  EXPECT_TRUE(has_room(tasks, "ann"));
  EXPECT_NE(add(tasks, "ann"), nullptr) << "one that ended makes room";
  EXPECT_EQ(add(tasks, "ann"), nullptr);
}

TEST(OpenTasks, HaveRoomForCallsThatAreOnTheirWay) {
  OpenTasks tasks;
  std::vector<TaskPlace> places;
  for (std::size_t i = 0; i < limits::tasks_of_principal_max; ++i)
    places.push_back(tasks.reserve("ann"));
  EXPECT_TRUE(places.back());
  EXPECT_FALSE(has_room(tasks, "ann"));
  EXPECT_TRUE(has_room(tasks, "bob"));
  const auto task =
      tasks.add(1, {.principal = "ann", .decision_id = {}}, {}, kNow, std::move(places.front()));
  EXPECT_NE(task, nullptr);
  EXPECT_FALSE(has_room(tasks, "ann")) << "the place is the task's";
  places.pop_back();
  EXPECT_TRUE(has_room(tasks, "ann")) << "a call that is answered at once";
  task->end();
  places.clear();
  EXPECT_TRUE(has_room(tasks, "ann"));
}

TEST(OpenTasks, AreForgottenWithTheirServer) {
  OpenTasks tasks;
  const auto task = add(tasks, "ann");
  tasks.expire(kNow, [](const TaskOrigin& /*origin*/) { return false; });
  EXPECT_EQ(tasks.size(), 0U);
  EXPECT_TRUE(task->is_over());
}

TEST(OpenTasks, AreBoundedInAll) {
  OpenTasks tasks;
  const auto first = add(tasks, "0");
  for (std::size_t i = 1; i < limits::tasks_max; ++i)
    add(tasks, std::to_string(i % 64));
  EXPECT_EQ(tasks.size(), limits::tasks_max);
  EXPECT_EQ(add(tasks, "one more"), nullptr);
  first->end();
  EXPECT_NE(add(tasks, "one more"), nullptr);
  EXPECT_EQ(tasks.size(), limits::tasks_max);
}

TEST(OpenTasks, AreForgottenWhenNobodyAsks) {
  const struct {
    const char* name;
    std::optional<milliseconds> time_to_live;
    milliseconds interval;
    seconds asked_until;  ///< It is still there then, and not a second later.
  } cases[] = {
      {"an hour", std::nullopt, milliseconds(0), hours(1)},
      {"as long as its server keeps it", seconds(60), milliseconds(0), seconds(60)},
      {"no longer than an hour", hours(5), milliseconds(0), hours(1)},
      {"twice its interval", std::nullopt, hours(2), hours(4)},
      {"a day", std::nullopt, hours(100), hours(24)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    OpenTasks tasks;
    const auto task = add(tasks, "ann");
    task->note(kNow, c.time_to_live, c.interval, 0);
    tasks.expire(kNow + c.asked_until - seconds(1), is_served);
    EXPECT_EQ(tasks.size(), 1U);
    EXPECT_FALSE(task->is_over());
    tasks.expire(kNow + c.asked_until, is_served);
    EXPECT_EQ(tasks.size(), 0U);
    EXPECT_TRUE(task->is_over()) << "what it held is given back";
  }
}

}  // namespace
}  // namespace bartizan
