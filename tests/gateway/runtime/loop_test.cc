#include "gateway/runtime/loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/net/stream.h"
#include "gateway/runtime/clock.h"
#include "gateway/runtime/signal.h"
#include "schemas/base/limits.h"
#include "tests/shifted_time.h"

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

TEST(LoopTest, RunsWhatBelongsToTheEndOfATurnBehindAllThatWasReady) {
  Loop loop(0);
  std::string order;
  asio::post(loop.io(), [&] {
    loop.run_at_end_of_turn([&] {
      order += "end ";
      loop.run_in_turn([&] {
        order += "asked-at-end ";
        asio::post(loop.io(), [&] { loop.stop(); });
      });
    });
    loop.run_in_turn([&] { order += "asked "; });
  });
  asio::post(loop.io(), [&] { order += "second "; });
  loop.run();
  EXPECT_EQ(order, "asked second end asked-at-end ");
}

/// One call of several steps.
Task<void> take_steps(Loop& loop, std::string& order, char name) {
  for (const char step : {'1', '2', '3'}) {
    order += {name, step, ' '};
    co_await yield_batch(loop);
  }
}

TEST(LoopTest, CallsTakeEachStepOneAfterTheOther) {
  Loop loop(0);
  std::string order;
  asio::post(loop.io(), [&] {
    for (const char name : {'a', 'b'})
      spawn(loop, take_steps(loop, order, name));
    asio::post(loop.io(), [&] { loop.stop(); });
  });
  loop.run();
  EXPECT_EQ(order, "a1 b1 a2 b2 a3 b3 ");
}

/// Sends what it gets back, for ever.
Task<void> bounce(Stream& stream) {
  std::string got;
  while ((co_await stream.append_some(got, 16, std::chrono::hours(1))).has_value()) {
    if (!(co_await stream.write(got, std::chrono::hours(1))).has_value()) co_return;
    got.clear();
  }
}

TEST(LoopTest, SocketsThatAreAlwaysReadyLeaveOthersTheirTurn) {
  Loop loop(0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  std::vector<std::unique_ptr<Stream>> streams;
  for (const int end : ends) {
    UnixSocket socket(loop.executor());
    socket.assign(asio::local::stream_protocol(), end);
    streams.push_back(std::make_unique<Stream>(std::move(socket), loop));
    spawn(loop, bounce(*streams.back()));
  }
  spawn(loop, [](Stream& stream) -> Task<void> {
    co_await stream.write("ball", std::chrono::hours(1));
  }(*streams.front()));
  int fired = 0;
  SteadyTimer timer(loop.executor(), std::chrono::milliseconds(1));
  timer.async_wait([&](const error_code& /*error*/) {
    ++fired;
    count_down(loop, 10);
  });
  loop.run();
  EXPECT_EQ(fired, 1);
}

/// Plays with a peer that answers from a thread of its own, so that the loop waits each time.
Task<void> play(Loop& loop, Stream& stream, int rounds) {
  std::string got;
  for (int round = 0; round < rounds; ++round) {
    co_await stream.write("ball", std::chrono::hours(1));
    if (!(co_await stream.append_some(got, 16, std::chrono::hours(1))).has_value()) break;
  }
  loop.stop();
}

// A loop that is not woken by its sockets still looks at them with each tick of its wheel: told by
// the ticks that have passed, of which there would be one in each round.
TEST(LoopTest, IsWokenByASocketEachTimeItWaits) {
  constexpr int kRounds = 200;
  Loop loop(0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  UnixSocket socket(loop.executor());
  socket.assign(asio::local::stream_protocol(), ends[0]);
  Stream stream(std::move(socket), loop);
  const std::jthread peer([end = ends[1]] {
    std::array<char, 16> ball{};
    for (ssize_t size = 0; (size = ::read(end, ball.data(), ball.size())) > 0;)
      static_cast<void>(::write(end, ball.data(), static_cast<std::size_t>(size)));
    ::close(end);
  });
  const auto begun = std::chrono::steady_clock::now();
  spawn(loop, play(loop, stream, kRounds));
  loop.run();
  stream.close();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, kRounds * limits::timer_tick / 2);
}

/// Works in turns until `has_come`, and no longer than so many. In the tenth it writes to `end`.
Task<void> work_in_turns(Loop& loop, const bool& has_come, int& turns, int end) {
  while (!has_come && turns < 100'000) {
    if (++turns == 10) static_cast<void>(::write(end, "ball", 4));
    co_await yield_turn(loop);
  }
  loop.stop();
}

// A loop whose looks were in vain waits at once after a turn; not while it has other work.
TEST(LoopTest, LooksAtSocketsWhileItWorksHoweverIdleItWas) {
  constexpr int kIdleWaits = 20;
  Loop loop(0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  UnixSocket socket(loop.executor());
  socket.assign(asio::local::stream_protocol(), ends[0]);
  Stream stream(std::move(socket), loop);
  bool has_come = false;
  int turns = 0;
  spawn(loop, [](Loop& its_loop, bool& come, int& count, int end, Stream& from) -> Task<void> {
    SteadyTimer timer(its_loop.executor());
    for (int wait = 0; wait < kIdleWaits; ++wait) {
      timer.expires_after(std::chrono::milliseconds(1));
      co_await timer.async_wait(kAwait);
    }
    spawn(its_loop, work_in_turns(its_loop, come, count, end));
    std::string got;
    come = (co_await from.append_some(got, 16, std::chrono::hours(1))).has_value();
  }(loop, has_come, turns, ends[1], stream));
  loop.run();
  EXPECT_TRUE(has_come);
  EXPECT_LT(turns, 1000);
  stream.close();
  ::close(ends[1]);
}

// The time of a loop is what its thread was lent: an hour of it passes in a tick of the machine's.
TEST(LoopTest, GoesByTheTimeThatItsThreadWasLent) {
  ShiftedTime time;
  const LentTime lent(time);
  Loop loop(0);
  const auto wait_an_hour = [](Loop& own, ShiftedTime& hours) -> Task<void> {
    Signal signal(own);
    const auto begun = steady_now();
    EXPECT_EQ(co_await signal.wait(std::chrono::milliseconds(1)), Signal::Woken::timed_out);
    EXPECT_LT(steady_now() - begun, std::chrono::minutes(1)) << "nothing has passed by itself";
    own.run_at_end_of_turn([&] { hours.pass(std::chrono::hours(1)); });
    EXPECT_EQ(co_await signal.wait(std::chrono::hours(1)), Signal::Woken::timed_out);
    EXPECT_GE(coarse_now() - begun, std::chrono::hours(1));
    own.stop();
  };
  const auto begun = std::chrono::steady_clock::now();
  spawn(loop, wait_an_hour(loop, time));
  loop.run();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes(1));
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
