#include "gateway/runtime/timer_wheel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

void count(void* context) {
  ++*static_cast<int*>(context);
}

constexpr std::uint64_t kDay = std::chrono::hours(24) / limits::timer_tick;

TEST(TimerWheel, CallsBackAtItsTick) {
  const struct {
    std::string_view name;
    std::uint64_t start;
    std::uint64_t ticks;
    std::uint64_t due;
  } cases[] = {
      {"the next tick", 0, 1, 1},
      {"no tick is the next one", 0, 0, 1},
      {"a later start", 5000, 7, 5007},
      {"the last slot of a turn", 0, 1023, 1023},
      {"a whole turn", 0, 1024, 1024},
      {"a turn and one", 3, 1025, 1028},
      {"many turns", 17, 10 * 1024 + 5, 10 * 1024 + 22},
      {"a day", 1, kDay, kDay + 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    TimerWheel wheel;
    int fired = 0;
    wheel.advance(c.start);
    Deadline deadline(wheel, count, &fired);
    deadline.arm(c.ticks);
    EXPECT_TRUE(deadline.is_armed());
    for (std::uint64_t now = c.start + 1; now < c.due; ++now)
      wheel.advance(now);
    EXPECT_EQ(fired, 0);
    wheel.advance(c.due);
    EXPECT_EQ(fired, 1);
    EXPECT_FALSE(deadline.is_armed());
    for (std::uint64_t now = c.due + 1; now < c.due + 2100; ++now)
      wheel.advance(now);
    EXPECT_EQ(fired, 1);
  }
}

TEST(TimerWheel, MissesNothingInAJump) {
  const struct {
    std::string_view name;
    std::uint64_t ticks;
    std::uint64_t jump;
    int want;
  } cases[] = {
      {"onto it", 10, 10, 1},
      {"just before it", 10, 9, 0},
      {"past it", 10, 500, 1},
      {"a turn past it", 10, 1024 + 10, 1},
      {"many turns past it", 3000, 100'000, 1},
      {"a turn, and it lies further", 1024 + 10, 1024, 0},
      {"onto it, turns away", 5 * 1024 + 10, 5 * 1024 + 10, 1},
      {"just before it, turns away", 5 * 1024 + 10, 5 * 1024 + 9, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    TimerWheel wheel;
    int fired = 0;
    Deadline deadline(wheel, count, &fired);
    deadline.arm(c.ticks);
    wheel.advance(c.jump);
    EXPECT_EQ(fired, c.want);
    wheel.advance(c.ticks);
    EXPECT_EQ(fired, 1);
  }
}

TEST(TimerWheel, CancelsAndArmsAnew) {
  TimerWheel wheel;
  int fired = 0;
  Deadline deadline(wheel, count, &fired);
  deadline.cancel();
  deadline.arm(std::uint64_t{5});
  deadline.cancel();
  EXPECT_FALSE(deadline.is_armed());
  wheel.advance(10);
  EXPECT_EQ(fired, 0);
  deadline.arm(std::uint64_t{5});
  deadline.arm(std::uint64_t{20});
  EXPECT_EQ(wheel.armed(), 1U);
  wheel.advance(15);
  EXPECT_EQ(fired, 0);
  wheel.advance(30);
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(wheel.armed(), 0U);
  wheel.advance(5);
  EXPECT_EQ(wheel.now(), 30U);
}

TEST(TimerWheel, KeepsADeadlineBeyondAllTicks) {
  TimerWheel wheel;
  int fired = 0;
  wheel.advance(7);
  Deadline deadline(wheel, count, &fired);
  deadline.arm(std::numeric_limits<std::uint64_t>::max());
  wheel.advance(1'000'000);
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(deadline.is_armed());
}

TEST(TimerWheel, RoundsWaitsUp) {
  using std::chrono::milliseconds;
  const std::chrono::milliseconds tick = limits::timer_tick;
  const struct {
    milliseconds wait;
    std::uint64_t due;
  } cases[] = {
      {milliseconds(-5), 1},       {milliseconds(0), 1}, {milliseconds(1), 2}, {tick, 2},
      {tick + milliseconds(1), 3}, {10 * tick, 11},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.wait.count());
    TimerWheel wheel;
    int fired = 0;
    Deadline deadline(wheel, count, &fired);
    deadline.arm(c.wait);
    wheel.advance(c.due - 1);
    EXPECT_EQ(fired, 0);
    wheel.advance(c.due);
    EXPECT_EQ(fired, 1);
  }
}

TEST(TimerWheel, LetsGoOfDeadlinesThatEnd) {
  TimerWheel wheel;
  int fired = 0;
  {
    Deadline first(wheel, count, &fired);
    Deadline second(wheel, count, &fired);
    first.arm(std::uint64_t{3});
    second.arm(std::uint64_t{3});
    EXPECT_EQ(wheel.armed(), 2U);
  }
  EXPECT_EQ(wheel.armed(), 0U);
  wheel.advance(3);
  EXPECT_EQ(fired, 0);
}

TEST(TimerWheel, ForgetsDeadlinesThatOutliveTheirArming) {
  int fired = 0;
  auto wheel = std::make_unique<TimerWheel>();
  Deadline deadline(*wheel, count, &fired);
  deadline.arm(std::uint64_t{3});
  wheel.reset();
  EXPECT_FALSE(deadline.is_armed());
  EXPECT_EQ(fired, 0);
}

// What callbacks may do: each waiter acts on the wheel while the wheel is in its slot.
struct Waiter {
  std::vector<std::unique_ptr<Deadline>>& deadlines;
  enum class Act { rearm, destroy_self, destroy_next, cancel_next } act;
  std::size_t self;
  int fired = 0;

  static void on_deadline(void* context) {
    auto& waiter = *static_cast<Waiter*>(context);
    ++waiter.fired;
    switch (waiter.act) {
      case Act::rearm:
        waiter.deadlines[waiter.self]->arm(std::uint64_t{1});
        break;
      case Act::destroy_self:
        waiter.deadlines[waiter.self].reset();
        break;
      case Act::destroy_next:
        waiter.deadlines[waiter.self + 1].reset();
        break;
      case Act::cancel_next:
        waiter.deadlines[waiter.self + 1]->cancel();
        break;
    }
  }
};

TEST(TimerWheel, SurvivesWhatCallbacksDo) {
  const struct {
    std::string_view name;
    Waiter::Act act;
    int first_fires;
    int second_fires;
  } cases[] = {
      {"arm themselves", Waiter::Act::rearm, 1, 1},
      {"destroy themselves", Waiter::Act::destroy_self, 1, 1},
      {"destroy a neighbour", Waiter::Act::destroy_next, 1, 0},
      {"cancel a neighbour", Waiter::Act::cancel_next, 1, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    TimerWheel wheel;
    std::vector<std::unique_ptr<Deadline>> deadlines;
    Waiter first{deadlines, c.act, 0};
    Waiter second{deadlines, Waiter::Act::destroy_self, 1};
    deadlines.push_back(std::make_unique<Deadline>(wheel, Waiter::on_deadline, &first));
    deadlines.push_back(std::make_unique<Deadline>(wheel, Waiter::on_deadline, &second));
    for (const auto& deadline : deadlines)
      deadline->arm(std::uint64_t{4});
    wheel.advance(100);
    EXPECT_EQ(first.fired, c.first_fires);
    EXPECT_EQ(second.fired, c.second_fires);
    EXPECT_EQ(wheel.armed(), c.act == Waiter::Act::rearm ? 1U : 0U);
    wheel.advance(101);
    EXPECT_EQ(first.fired, c.act == Waiter::Act::rearm ? 2 : 1);
  }
}

}  // namespace
}  // namespace bartizan
