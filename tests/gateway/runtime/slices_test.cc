#include "gateway/runtime/slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace bartizan {
namespace {

constexpr std::size_t kTurn = 100;

/// What ran, in its order: letters are slices of work, `|` is something else of the loop.
class SlicesTest : public testing::Test {
 protected:
  /// Work of so many slices, each of `units`.
  Task<void> work(Slices& slices, char name, std::uint64_t caller, int count, std::size_t units) {
    ++left_;
    for (int slice = 0; slice < count; ++slice) {
      order_ += name;
      co_await slices.spend(caller, units);
    }
    if (--left_ == 0) loop_.stop();
  }

  /// Something else, which wants its place in each turn.
  Task<void> beat() {
    while (left_ > 0) {
      order_ += '|';
      co_await yield_turn(loop_);
    }
  }

  std::string run() {
    asio::post(loop_.io(), [this] { spawn(loop_, beat()); });
    loop_.run();
    return order_;
  }

  Loop loop_{0};
  std::string order_;
  int left_ = 0;
};

/// The longest run of slices between two places of something else.
std::size_t longest_run(const std::string& order) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : order) {
    run = c == '|' ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST_F(SlicesTest, LetOthersHaveTheirTurn) {
  Slices slices(loop_, kTurn);
  asio::post(loop_.io(), [&] { spawn(loop_, work(slices, 'a', 1, 8, kTurn)); });
  const std::string order = run();
  EXPECT_EQ(std::ranges::count(order, 'a'), 8);
  EXPECT_LE(longest_run(order), 2U) << order;
}

// What the test above would see without slices.
TEST_F(SlicesTest, WithoutABoundNobodyHasATurnBetween) {
  Slices slices(loop_, Slices::kUnbounded);
  asio::post(loop_.io(), [&] { spawn(loop_, work(slices, 'a', 1, 8, kTurn)); });
  EXPECT_EQ(longest_run(run()), 8U);
}

TEST_F(SlicesTest, OfSeveralTogetherAreNoLongerThanOfOne) {
  Slices slices(loop_, kTurn);
  asio::post(loop_.io(), [&] {
    for (const char name : {'a', 'b', 'c', 'd', 'e'})
      spawn(loop_, work(slices, name, 1, 4, kTurn));
  });
  const std::string order = run();
  // Each begins at once, and from then on there is one slice a turn.
  EXPECT_TRUE(order.starts_with("abcde")) << order;
  EXPECT_LE(longest_run(order.substr(5)), 2U) << order;
}

TEST_F(SlicesTest, GiveEachCallerOneInTurn) {
  Slices slices(loop_, kTurn);
  asio::post(loop_.io(), [&] {
    for (const char name : {'a', 'b', 'c', 'd', 'e'})
      spawn(loop_, work(slices, name, 1, 4, kTurn));
    spawn(loop_, work(slices, 'X', 2, 3, kTurn));
  });
  std::string order = run();
  std::erase(order, '|');
  // Two slices are left of what the second caller wants, and five waited before it.
  EXPECT_LE(order.find_last_of('X'), 10U) << order;
}

TEST_F(SlicesTest, DoNotHoldUpWhatFitsATurn) {
  Slices slices(loop_, kTurn);
  asio::post(loop_.io(), [&] { spawn(loop_, work(slices, 'a', 1, 9, kTurn / 10)); });
  EXPECT_EQ(longest_run(run()), 9U);
  EXPECT_EQ(slices.waiting(), 0U);
}

TEST(Slices, MayEndWhileSomebodyWaits) {
  Loop loop(0);
  Slices slices(loop, 1);
  asio::post(loop.io(), [&] {
    spawn(loop, [](Slices& its_slices) -> Task<void> {
      while (true)
        co_await its_slices.spend(1, 1);
    }(slices));
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(slices.waiting(), 1U);
}

}  // namespace
}  // namespace bartizan
