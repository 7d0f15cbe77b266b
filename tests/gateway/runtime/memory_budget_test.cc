#include "gateway/runtime/memory_budget.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

TEST(MemoryBudget, ReservesUpToItsBound) {
  MemoryBudget budget(100);
  auto first = budget.reserve(60);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes(), 60U);
  EXPECT_FALSE(budget.reserve(41));
  EXPECT_FALSE(budget.reserve(std::numeric_limits<std::uint64_t>::max()));
  auto second = budget.reserve(40);
  ASSERT_TRUE(second);
  EXPECT_EQ(budget.used(), 100U);
  EXPECT_FALSE(budget.reserve(1));
  EXPECT_TRUE(budget.reserve(0));
  first.reset();
  EXPECT_EQ(budget.used(), 40U);
  EXPECT_EQ(budget.peak(), 100U);
  EXPECT_EQ(budget.bytes_max(), 100U);
}

TEST(MemoryBudget, HasNoRoomWhileMoreIsHeldThanALoweredBound) {
  MemoryBudget budget(100);
  const auto held = budget.reserve(60);
  EXPECT_TRUE(budget.has_room(40));
  EXPECT_FALSE(budget.has_room(41));
  budget.set_bytes_max(50);
  EXPECT_FALSE(budget.has_room(1));
  EXPECT_FALSE(budget.has_room(std::numeric_limits<std::uint64_t>::max()));
  budget.set_bytes_max(70);
  EXPECT_TRUE(budget.has_room(10));
}

TEST(MemoryBudget, TellsTheMostSinceItWasAskedLast) {
  MemoryBudget budget(100);
  auto first = budget.reserve(40);
  {
    const auto second = budget.reserve(30);
  }
  EXPECT_EQ(budget.take_recent_peak(), 70U);
  EXPECT_EQ(budget.take_recent_peak(), 40U) << "what is still held counts";
  first->release();
  EXPECT_EQ(budget.take_recent_peak(), 40U);
  EXPECT_EQ(budget.take_recent_peak(), 0U);
  EXPECT_EQ(budget.peak(), 70U);
}

TEST(MemoryBudget, ResizesReservations) {
  MemoryBudget budget(100);
  auto reservation = budget.reserve(10);
  ASSERT_TRUE(reservation);
  EXPECT_TRUE(reservation->resize(100));
  EXPECT_EQ(budget.used(), 100U);
  EXPECT_FALSE(reservation->resize(101));
  EXPECT_FALSE(reservation->resize(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(reservation->bytes(), 100U);
  EXPECT_TRUE(reservation->resize(30));
  EXPECT_EQ(budget.used(), 30U);
  EXPECT_EQ(budget.peak(), 100U);
  reservation->release();
  reservation->release();
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_EQ(reservation->bytes(), 0U);
}

TEST(MemoryBudget, MovesReservations) {
  MemoryBudget budget(100);
  MemoryBudget::Reservation kept;
  EXPECT_TRUE(kept.resize(0));
  EXPECT_FALSE(kept.resize(1));
  {
    auto first = budget.reserve(10);
    auto second = budget.reserve(20);
    ASSERT_TRUE(first && second);
    kept = std::move(*first);
    EXPECT_EQ(budget.used(), 30U);
    kept = std::move(*second);
    EXPECT_EQ(budget.used(), 20U);
    const MemoryBudget::Reservation moved(std::move(kept));
    EXPECT_EQ(moved.bytes(), 20U);
    EXPECT_EQ(budget.used(), 20U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryBudget, CountsTheSameFromAllThreads) {
  MemoryBudget budget(64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&budget] {
      for (int round = 0; round < 10'000; ++round) {
        auto held = budget.reserve(24);
        if (held && !held->resize(48)) held->release();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_LE(budget.peak(), 64U);
  EXPECT_GE(budget.peak(), 24U);
}

}  // namespace
}  // namespace bartizan
