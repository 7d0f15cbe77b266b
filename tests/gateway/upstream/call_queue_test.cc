#include "gateway/upstream/call_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "gateway/runtime/loop.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

class CallQueueTest : public testing::Test {
 protected:
  using Pending = std::shared_ptr<PendingCall>;

  Pending pending() { return std::make_shared<PendingCall>(loop_); }
  void take(const Pending& call, bool is_ready) {
    queue_.take({.request = {.permit = Permit::own(GatewayMessage::tools_list, "{}"), .id = {}},
                 .pending = call},
                is_ready);
  }
  /// How a call that nobody answers ended.
  Task<void> listen(Pending call) {
    const auto message = co_await call->next(std::chrono::hours(1));
    code_ = message.has_value() ? ErrorCode::not_found : message.error().code;
    loop_.stop();
  }
  ErrorCode ending_of(const Pending& call) {
    spawn(loop_, listen(call));
    loop_.run();
    return code_;
  }

  Loop loop_{0};
  InFlight in_flight_{2};
  std::vector<Pending> begun_;
  CallQueue queue_{in_flight_, [this](CallQueue::Waiting&& call) {
                     begun_.push_back(call.pending);
                     in_flight_.add(in_flight_.next_id(), std::move(call.pending));
                   }};
  ErrorCode code_ = ErrorCode::not_found;
};

TEST_F(CallQueueTest, BeginsAtOnceOnlyWhereThereIsRoomAndTheInstanceIsReady) {
  const Pending first = pending(), second = pending(), third = pending(), fourth = pending();
  take(first, false);
  EXPECT_TRUE(begun_.empty()) << "a handshake is going on";
  queue_.begin_waiting();
  take(second, true);
  take(third, true);
  take(fourth, true);
  EXPECT_EQ(begun_, (std::vector{first, second})) << "there is room for two";
  EXPECT_EQ(queue_.size(), 2U);
  in_flight_.take(1);
  queue_.begin_waiting();
  EXPECT_EQ(begun_, (std::vector{first, second, third})) << "in their order";
  EXPECT_EQ(queue_.size(), 1U);
}

TEST_F(CallQueueTest, ForgetsWhatWaitsAndNothingElse) {
  const Pending first = pending(), second = pending();
  take(first, false);
  take(second, false);
  EXPECT_TRUE(queue_.forget(first));
  EXPECT_FALSE(queue_.forget(first));
  queue_.begin_waiting();
  EXPECT_EQ(begun_, (std::vector{second}));
  EXPECT_FALSE(queue_.forget(second)) << "it has begun";
}

TEST_F(CallQueueTest, RefusesACallBeyondItsBound) {
  for (std::size_t i = 0; i < limits::server_queue_calls_max; ++i)
    take(pending(), false);
  EXPECT_EQ(queue_.size(), limits::server_queue_calls_max);
  const Pending beyond = pending();
  take(beyond, false);
  EXPECT_EQ(queue_.size(), limits::server_queue_calls_max);
  EXPECT_EQ(ending_of(beyond), ErrorCode::overloaded);
}

TEST_F(CallQueueTest, FailsWhatWaits) {
  const Pending waiting = pending();
  take(waiting, false);
  queue_.fail({ErrorCode::server_failed, Fault::server, "it ended"});
  EXPECT_EQ(queue_.size(), 0U);
  EXPECT_EQ(ending_of(waiting), ErrorCode::server_failed);
}

}  // namespace
}  // namespace bartizan
