#include "gateway/runtime/memory_shares.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bartizan {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kBudget = 400 * kKiB;

/// As many answers of 20 KiB as a principal may hold.
std::vector<MemoryShares::Held> fill(MemoryShares& shares, const std::string& principal) {
  std::vector<MemoryShares::Held> all;
  while (true) {
    MemoryShares::Held held;
    if (!held.hold(shares, principal, 20 * kKiB)) return all;
    all.push_back(std::move(held));
  }
}

TEST(MemoryShares, OnePrincipalLeavesRoomForOthers) {
  MemoryBudget budget(kBudget);
  MemoryShares shares(budget);
  const auto unread = fill(shares, "mallory");
  EXPECT_EQ(unread.size(), 5U);
  EXPECT_EQ(budget.used(), shares.bytes_max());
  MemoryShares::Held answer;
  EXPECT_TRUE(answer.hold(shares, "ann", 80 * kKiB));
  EXPECT_EQ(shares.holders(), 2U);
}

// What the test above would see if principals had no share of their own.
TEST(MemoryShares, WithoutSharesOnePrincipalLeavesNone) {
  MemoryBudget budget(kBudget);
  MemoryShares shares(budget, 1);
  const auto unread = fill(shares, "mallory");
  EXPECT_EQ(unread.size(), 20U);
  MemoryShares::Held answer;
  EXPECT_FALSE(answer.hold(shares, "ann", 20 * kKiB));
  EXPECT_EQ(shares.holders(), 1U);
}

TEST(MemoryShares, HoldsWhatFits) {
  const struct {
    std::string_view name;
    std::uint64_t before;  ///< In KiB, held by the same principal in one answer.
    std::uint64_t others;  ///< By another one.
    std::uint64_t wanted;
    bool fits;
  } rows[] = {
      {"the whole share", 0, 0, 100, true},
      {"what is left of it", 60, 0, 40, true},
      {"a little more than is left", 60, 0, 41, false},
      {"a first answer beyond the share", 0, 0, 300, true},
      {"a second one beside it", 300, 0, 20, false},
      {"a first answer beyond the budget", 0, 0, 401, false},
      {"a first answer beyond what others left of it", 0, 350, 60, false},
      {"a small one beside a full share", 100, 0, 8, true},
      {"a small one beside a full budget", 100, 300, 8, true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    MemoryBudget budget(kBudget);
    MemoryShares shares(budget);
    {
      MemoryShares::Held before;
      MemoryShares::Held others;
      ASSERT_TRUE(before.hold(shares, "ann", row.before * kKiB));
      ASSERT_TRUE(others.hold(shares, "bob", row.others * kKiB));
      const std::uint64_t used = budget.used();
      MemoryShares::Held held;
      EXPECT_EQ(held.hold(shares, "ann", row.wanted * kKiB), row.fits);
      const bool takes = row.fits && row.wanted > 8;
      EXPECT_EQ(budget.used(), used + (takes ? row.wanted * kKiB : 0));
    }
    EXPECT_EQ(budget.used(), 0U);
    EXPECT_EQ(shares.holders(), 0U);
  }
}

TEST(MemoryShares, GivesBackExactly) {
  MemoryBudget budget(kBudget);
  MemoryShares shares(budget);
  MemoryShares::Held held;
  ASSERT_TRUE(held.hold(shares, "ann", 50 * kKiB));
  ASSERT_TRUE(held.hold(shares, "ann", 100 * kKiB));
  EXPECT_FALSE(held.hold(shares, "ann", 101 * kKiB));
  EXPECT_EQ(held.bytes(), 100 * kKiB);
  ASSERT_TRUE(held.hold(shares, "ann", 30 * kKiB));
  EXPECT_EQ(budget.used(), 30 * kKiB);
  MemoryShares::Held other;
  ASSERT_TRUE(other.hold(shares, "ann", 70 * kKiB));
  other = std::move(held);
  EXPECT_EQ(budget.used(), 30 * kKiB);
  MemoryShares::Held moved(std::move(other));
  EXPECT_EQ(moved.bytes(), 30 * kKiB);
  // A small buffer holds nothing.
  ASSERT_TRUE(moved.hold(shares, "ann", 1));
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_EQ(shares.holders(), 0U);
}

TEST(MemoryShares, CountsTheSameFromAllThreads) {
  MemoryBudget budget(kBudget);
  MemoryShares shares(budget);
  std::vector<std::thread> threads;
  for (const std::string principal : {"ann", "ann", "bob", "bob"}) {
    threads.emplace_back([&shares, principal] {
      for (int round = 0; round < 2'000; ++round) {
        MemoryShares::Held held;
        if (held.hold(shares, principal, 40 * kKiB)) {
          static_cast<void>(held.hold(shares, principal, 60 * kKiB));
        }
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(budget.used(), 0U);
  EXPECT_LE(budget.peak(), 2 * shares.bytes_max());
  EXPECT_EQ(shares.holders(), 0U);
}

}  // namespace
}  // namespace bartizan
