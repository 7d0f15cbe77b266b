#include "gateway/runtime/clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/shifted_time.h"

namespace bartizan {
namespace {

using std::chrono::hours;

/// How far the present thread's time is ahead of the machine's.
std::chrono::hours ahead() {
  return std::chrono::round<hours>(steady_now() - std::chrono::steady_clock::now());
}
std::chrono::hours ahead_of_the_date() {
  return std::chrono::round<hours>(system_now() - std::chrono::system_clock::now());
}

TEST(Clock, IsTheMachinesWhereNoneWasLent) {
  EXPECT_EQ(ahead(), hours(0));
  EXPECT_EQ(ahead_of_the_date(), hours(0));
}

TEST(Clock, IsWhatTheThreadWasLentUntilItIsTakenBack) {
  ShiftedTime time, other;
  time.pass(hours(5));
  other.pass(hours(7));
  {
    const LentTime lent(time);
    EXPECT_EQ(ahead(), hours(5));
    EXPECT_EQ(ahead_of_the_date(), hours(5));
    {
      const LentTime lent_other(other);
      EXPECT_EQ(ahead(), hours(7));
    }
    EXPECT_EQ(ahead(), hours(5));
    time.pass(hours(1));
    EXPECT_EQ(ahead(), hours(6));
  }
  EXPECT_EQ(ahead(), hours(0));
}

TEST(Clock, OfAThreadIsThatOfTheOneThatStartedIt) {
  ShiftedTime time;
  time.pass(hours(5));
  std::chrono::hours in_thread{}, in_its_thread{}, in_other{};
  {
    const LentTime lent(time);
    start_thread([&] {
      in_thread = ahead();
      start_thread([&] { in_its_thread = ahead(); }).join();
    }).join();
    std::thread([&] { in_other = ahead(); }).join();
  }
  EXPECT_EQ(in_thread, hours(5));
  EXPECT_EQ(in_its_thread, hours(5));
  EXPECT_EQ(in_other, hours(0));
}

TEST(Clock, IsReadOnceInATurn) {
  ShiftedTime time;
  const LentTime lent(time);
  begin_turn();
  const auto before = coarse_now();
  const auto date_before = coarse_time();
  time.pass(hours(5));
  EXPECT_EQ(coarse_now(), before);
  EXPECT_EQ(coarse_time(), date_before);
  begin_turn();
  EXPECT_GE(coarse_now() - before, hours(5));
  EXPECT_GE(coarse_time() - date_before, hours(5));
  end_turns();
  const auto after = coarse_now();
  time.pass(hours(1));
  EXPECT_GE(coarse_now() - after, hours(1));
}

}  // namespace
}  // namespace bartizan
