#include "gateway/worker/open_tasks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr OpenTask::Clock::time_point kNow{hours(100)};

std::shared_ptr<OpenTask> add(OpenTasks& tasks, const std::string& principal) {
  return tasks.add(tasks.next_number(), {.principal = principal, .decision_id = {}}, {}, kNow);
}

TEST(OpenTasks, AreFoundByTheirNumbers) {
  OpenTasks tasks;
  const std::uint64_t number = tasks.next_number();
  const auto task = tasks.add(number, {.principal = "ann", .decision_id = {}}, {}, kNow);
  EXPECT_EQ(tasks.find(number), task);
  EXPECT_EQ(tasks.find(number + 1), nullptr);
  EXPECT_EQ(tasks.find(0), nullptr);
  EXPECT_NE(tasks.next_number(), number);
}

TEST(OpenTasks, AreBoundedForEachPrincipal) {
  OpenTasks tasks;
  const auto first = add(tasks, "ann");
  for (std::size_t i = 1; i < limits::tasks_of_principal_max; ++i) {
    EXPECT_TRUE(tasks.has_room("ann"));
    EXPECT_NE(add(tasks, "ann"), nullptr);
  }
  EXPECT_FALSE(tasks.has_room("ann"));
  EXPECT_EQ(add(tasks, "ann"), nullptr) << "one too many";
  EXPECT_TRUE(tasks.has_room("bob"));
  EXPECT_NE(add(tasks, "bob"), nullptr) << "another's";
  first->end();
  EXPECT_TRUE(tasks.has_room("ann"));
  EXPECT_NE(add(tasks, "ann"), nullptr) << "one that ended makes room";
  EXPECT_EQ(add(tasks, "ann"), nullptr);
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
    tasks.expire(kNow + c.asked_until - seconds(1));
    EXPECT_EQ(tasks.size(), 1U);
    EXPECT_FALSE(task->is_over());
    tasks.expire(kNow + c.asked_until);
    EXPECT_EQ(tasks.size(), 0U);
    EXPECT_TRUE(task->is_over()) << "what it held is given back";
  }
}

}  // namespace
}  // namespace bartizan
