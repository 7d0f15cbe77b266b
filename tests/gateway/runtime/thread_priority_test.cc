#include "gateway/runtime/thread_priority.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace bartizan {
namespace {

struct Priority {
  int nice = 0;
  int policy = 0;
  bool operator==(const Priority&) const = default;
};

Priority present_priority() {
  return {.nice = getpriority(PRIO_PROCESS, 0), .policy = sched_getscheduler(0)};
}

TEST(ThreadPriority, IsLoweredForThePresentThreadAlone) {
  const Priority before = present_priority();
  Priority lowered;
  std::thread([&] {
    lower_thread_priority();
    lowered = present_priority();
  }).join();
  EXPECT_EQ(lowered, (Priority{.nice = std::min(before.nice + 5, 19), .policy = SCHED_BATCH}));
  EXPECT_EQ(present_priority(), before);
}

}  // namespace
}  // namespace bartizan
