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

TEST(LoopTest, WorkThatAsksForItselfWithoutEndTakesTurnsWithOthers) {
  Loop loop(0);
  int rounds = 0;
  loop.run_in_turn([&] { go_on(loop, rounds); });
  loop.run_in_turn([&] { asio::post(loop.io(), [&] { loop.stop(); }); });
  loop.run();
  EXPECT_GT(rounds, 1);
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

Task<void> wait_for(Signal& signal, int& ended) {
  struct Count {
    int& count;
    ~Count() { ++count; }
  } const count{ended};
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
  spawn(*loop, wait_for(told, ended));
  spawn(*loop, sleep_and_tell(*loop, told));
  asio::post(loop->io(), [&] { asio::post(loop->io(), [&] { loop->stop(); }); });
  loop->run();
  EXPECT_EQ(ended, 0);
  // Asio drops the sleeper, which tells the signal at its end.
  loop.reset();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace bartizan
