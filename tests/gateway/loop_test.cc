#include "gateway/loop.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "gateway/signal.h"

namespace bartizan {
namespace {

TEST(LoopTest, RunsWhatATurnAsksForBeforeWhatIsReadyNext) {
  Loop loop(0);
  std::string order;
  asio::post(loop.io(), [&] {
    asio::post(loop.io(), [&] { order += "later "; });
    loop.run_in_turn([&] { order += "asked "; });
    loop.run_in_turn([&] {
      order += "asked-too ";
      loop.run_in_turn([&] { order += "next-round "; });
    });
    order += "first ";
  });
  asio::post(loop.io(), [&] { order += "second "; });
  asio::post(loop.io(), [&] { asio::post(loop.io(), [&] { loop.stop(); }); });
  loop.run();
  EXPECT_EQ(order, "first asked asked-too next-round second later ");
}

/// Asks for itself again and again.
void go_on(Loop& loop, int& rounds) {
  ++rounds;
  loop.run_in_turn([&] { go_on(loop, rounds); });
}

/// Posts itself again until it has run so many times.
void count_down(Loop& loop, int left) {
  if (left == 0) return loop.stop();
  asio::post(loop.io(), [&loop, left] { count_down(loop, left - 1); });
}

TEST(LoopTest, WorkThatAsksForItselfWithoutEndTakesTurnsWithOthers) {
  constexpr int kHandlers = 10;
  Loop loop(0);
  int rounds = 0;
  loop.run_in_turn([&] { go_on(loop, rounds); });
  count_down(loop, kHandlers);
  loop.run();
  // Several rounds behind each handler, and not without end.
  EXPECT_GT(rounds, 2 * kHandlers);
  EXPECT_LT(rounds, 100 * kHandlers);
}

TEST(LoopTest, KnowsItsOwnThreadOnlyWhileItRuns) {
  Loop loop(0);
  EXPECT_FALSE(loop.is_current());
  loop.run_in_turn([&] {
    EXPECT_TRUE(loop.is_current());
    loop.stop();
  });
  loop.run();
  EXPECT_FALSE(loop.is_current());
}

/// Tells a signal at its end.
struct Teller {
  explicit Teller(Signal& signal) : signal_(signal) {}
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;
  ~Teller() { signal_.notify(); }

 private:
  Signal& signal_;
};

/// Waits for a signal, and owns something of Asio's meanwhile.
Task<void> wait_for(Loop& loop, Signal& signal, int& ended) {
  struct Count {
    int& count;
    ~Count() { ++count; }
  } const count{ended};
  const SteadyTimer timer(loop.executor(), std::chrono::hours(1));
  co_await signal.wait(std::chrono::hours(1));
}

Task<void> sleep_and_tell(Loop& loop, Signal& other) {
  const Teller teller(other);
  SteadyTimer timer(loop.executor(), std::chrono::hours(1));
  co_await timer.async_wait(kAwait);
}

TEST(LoopTest, DropsWhoeverWouldBeResumedInATurnThatDoesNotCome) {
  int ended = 0;
  auto loop = std::make_unique<Loop>(0);
  Signal told(*loop);
  spawn(*loop, wait_for(*loop, told, ended));
  asio::post(loop->io(), [&] { loop->stop(); });
  loop->run();
  told.notify();
  EXPECT_EQ(ended, 0);
  // Before Asio ends, to which the timer of who is dropped belongs; the sanitizers look on.
  loop.reset();
  EXPECT_EQ(ended, 1);
}

TEST(LoopTest, DropsWhoeverIsToldByOneThatIsDropped) {
  int ended = 0;
  auto loop = std::make_unique<Loop>(0);
  Signal told(*loop);
  spawn(*loop, wait_for(*loop, told, ended));
  spawn(*loop, sleep_and_tell(*loop, told));
  asio::post(loop->io(), [&] { asio::post(loop->io(), [&] { loop->stop(); }); });
  loop->run();
  EXPECT_EQ(ended, 0);
  loop.reset();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace bartizan
