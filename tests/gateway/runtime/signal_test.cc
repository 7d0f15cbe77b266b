#include "gateway/runtime/signal.h"

#include <gtest/gtest.h>

#include <vector>

#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using Woken = Signal::Woken;

class SignalTest : public testing::Test {
 protected:
  Loop loop_{0};
  Signal signal_{loop_};
  std::vector<Woken> woken_;

  /// Waits that many times, then ends the loop.
  Task<void> listen(int times) {
    for (int i = 0; i < times; ++i)
      woken_.push_back(co_await signal_.wait(hours(1)));
    loop_.stop();
  }
};

TEST_F(SignalTest, RemembersWhatCameBefore) {
  signal_.notify();
  signal_.notify();  // Once is enough: an event, not a count.
  spawn(loop_, listen(1));
  loop_.run();
  EXPECT_EQ(woken_, (std::vector{Woken::notified}));
}

TEST_F(SignalTest, WakesOneWhoWaits) {
  spawn(loop_, listen(2));
  loop_.run_in_turn([&] {
    EXPECT_TRUE(woken_.empty());
    signal_.notify();
    EXPECT_TRUE(woken_.empty()) << "the notifier goes on first";
    loop_.run_in_turn([&] {
      EXPECT_EQ(woken_.size(), 1U);
      signal_.notify();
    });
  });
  loop_.run();
  EXPECT_EQ(woken_, (std::vector{Woken::notified, Woken::notified}));
}

TEST_F(SignalTest, TimesOutByTheWheel) {
  spawn(loop_, listen(2));
  loop_.run_in_turn([&] {
    loop_.wheel().advance(hours(2) / limits::timer_tick);
    loop_.run_in_turn([&] { signal_.notify(); });
  });
  loop_.run();
  EXPECT_EQ(woken_, (std::vector{Woken::timed_out, Woken::notified}));
  EXPECT_EQ(loop_.wheel().armed(), 0U);
}

// Both at once: what came is not lost, and not told twice.
TEST_F(SignalTest, ANotificationWinsOverTheTimeout) {
  spawn(loop_, listen(1));
  loop_.run_in_turn([&] {
    loop_.wheel().advance(hours(2) / limits::timer_tick);
    signal_.notify();
  });
  loop_.run();
  EXPECT_EQ(woken_, (std::vector{Woken::notified}));
}

TEST_F(SignalTest, MayEndWhileSomebodyWaits) {
  // The signal ends before its loop, and takes the waiting frame along; the sanitizers look on.
  Loop other(1);
  Signal signal(other);
  const auto listen = [](Signal& its) -> Task<void> {
    co_await its.wait(hours(1));
    ADD_FAILURE() << "nobody notified it";
  };
  spawn(other, listen(signal));
  asio::post(other.io(), [&] { other.stop(); });
  other.run();
}

}  // namespace
}  // namespace bartizan
