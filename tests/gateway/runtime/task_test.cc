#include "gateway/runtime/task.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/signal.h"
#include "schemas/base/result.h"

namespace bartizan {
namespace {

Task<Result<int>> half(int value) {
  if (value % 2 != 0) co_return fail(ErrorCode::invalid_params, Fault::client, "odd");
  co_return value / 2;
}

Task<Result<int>> quarter(int value) {
  const Result<int> halved = co_await half(value);
  if (!halved.has_value()) co_return std::unexpected(halved.error());
  co_return co_await half(*halved);
}

/// Counts who is alive.
struct Guest {
  explicit Guest(int& count) : count_(count) { ++count_; }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest() { --count_; }

 private:
  int& count_;
};

TEST(TaskTest, GivesValuesAndErrorsBack) {
  Loop loop(0);
  std::vector<std::string> seen;
  const auto ask = [](Loop& its, std::vector<std::string>& heard, int value) -> Task<void> {
    const Result<int> answer = co_await quarter(value);
    heard.push_back(answer.has_value() ? std::to_string(*answer) : answer.error().detail);
    if (heard.size() == 3) its.stop();
  };
  for (const int value : {8, 7, 6})
    spawn(loop, ask(loop, seen, value));
  loop.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"2", "odd", "odd"}));
}

TEST(TaskTest, BeginsAtOnceOnItsOwnLoop) {
  Loop loop(0);
  std::string order;
  const auto run = [](Loop& its, std::string& noted) -> Task<void> {
    noted += "task ";
    co_await asio::post(its.io(), kAwait);
    noted += "later ";
    its.stop();
  };
  asio::post(loop.io(), [&] {
    spawn(loop, run(loop, order));
    order += "spawner ";
  });
  loop.run();
  EXPECT_EQ(order, "task spawner later ");
}

TEST(TaskTest, ManyOneBehindTheOtherNeedNoStack) {
  Loop loop(0);
  int sum = 0;
  const auto run = [](Loop& its, int& counted) -> Task<void> {
    for (int i = 0; i < 100'000; ++i)
      counted += (co_await half(2)).value_or(0);
    its.stop();
  };
  spawn(loop, run(loop, sum));
  loop.run();
  EXPECT_EQ(sum, 100'000);
}

/// Whatever a task waits for when its loop ends, all frames around it are destroyed.
TEST(TaskTest, IsDestroyedWithItsLoop) {
  int alive = 0;
  {
    auto loop = std::make_unique<Loop>(0);
    auto signal = std::make_unique<Signal>(*loop);
    auto timer = std::make_unique<SteadyTimer>(loop->executor(), std::chrono::hours(1));
    const auto inner_signal = [](Signal& to, int& count) -> Task<void> {
      const Guest guest(count);
      co_await to.wait(std::chrono::hours(1));
    };
    const auto inner_timer = [](SteadyTimer& on, int& count) -> Task<void> {
      const Guest guest(count);
      co_await on.async_wait(kAwait);
    };
    const auto outer = [](auto inner, auto& on, int& count) -> Task<void> {
      const Guest guest(count);
      co_await inner(on, count);
    };
    spawn(*loop, outer(inner_signal, *signal, alive));
    spawn(*loop, outer(inner_timer, *timer, alive));
    const auto stop = [](Loop& its) -> Task<void> {
      its.stop();
      co_return;
    };
    spawn(*loop, stop(*loop));
    loop->run();
    EXPECT_EQ(alive, 4);
    signal.reset();
    EXPECT_EQ(alive, 2);
    timer.reset();  // Its operation is aborted: the handler is queued, and never run.
    loop.reset();
  }
  EXPECT_EQ(alive, 0);
}

TEST(TaskTest, OneThatNeverBeganIsDestroyedToo) {
  int alive = 0;
  {
    Loop loop(0);
    auto guest = std::make_unique<Guest>(alive);
    spawn(loop, [](std::unique_ptr<Guest> held) -> Task<void> {
      static_cast<void>(held);
      co_return;
    }(std::move(guest)));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(TaskTest, VisitsAnotherLoopAndComesBack) {
  Loop here(0);
  Loop there(1);
  std::thread thread([&] { there.run(); });
  std::optional<std::thread::id> visited;
  std::optional<std::thread::id> resumed;
  using Id = std::optional<std::thread::id>;
  const auto run = [](Loop& its, Loop& other, Id& there_was, Id& here_is) -> Task<void> {
    there_was = co_await Visit(its, other, [] { return std::this_thread::get_id(); });
    here_is = std::this_thread::get_id();
    its.stop();
  };
  spawn(here, run(here, there, visited, resumed));
  here.run();
  EXPECT_EQ(visited, thread.get_id());
  EXPECT_EQ(resumed, std::this_thread::get_id());
  there.stop();
  thread.join();
}

}  // namespace
}  // namespace bartizan
