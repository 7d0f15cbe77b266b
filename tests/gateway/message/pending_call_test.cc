#include "gateway/message/pending_call.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gateway/message/received_message.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::chrono::hours;

/// What a listener got: the messages' bytes, then the code of the failure.
struct Heard {
  std::vector<std::string> messages;
  std::optional<ErrorCode> end;
};

ReceivedMessage message(std::string_view text) {
  ReceivedMessage received;
  received.bytes.assign(text);
  return received;
}

Error error(ErrorCode code) {
  return {code, Fault::server, "a reason"};
}

class PendingCallTest : public testing::Test {
 protected:
  Loop loop_{0};
  std::shared_ptr<PendingCall> call_ = std::make_shared<PendingCall>(loop_);
  Heard heard_;

  /// Takes what comes until it ends, then ends the loop.
  Task<void> listen() {
    while (true) {
      const auto next = co_await call_->next(hours(1));
      if (!next.has_value()) {
        heard_.end = next.error().code;
        break;
      }
      heard_.messages.emplace_back(next->bytes.view());
    }
    loop_.stop();
  }
};

TEST_F(PendingCallTest, DeliversInOrderFromAnotherThread) {
  constexpr int kMessages = 100;  // Fewer than the queue holds, however late the listener is.
  spawn(loop_, listen());
  std::jthread server([&] {
    for (int i = 0; i < kMessages; ++i)
      EXPECT_TRUE(call_->deliver(message(std::to_string(i))));
    call_->fail(error(ErrorCode::server_failed));
    EXPECT_TRUE(call_->deliver(message("too late")));
  });
  loop_.run();
  ASSERT_EQ(heard_.messages.size(), static_cast<std::size_t>(kMessages));
  for (int i = 0; i < kMessages; ++i)
    EXPECT_EQ(heard_.messages[static_cast<std::size_t>(i)], std::to_string(i));
  EXPECT_EQ(heard_.end, ErrorCode::server_failed);
}

TEST_F(PendingCallTest, TheFirstEndCounts) {
  spawn(loop_, [&]() -> Task<void> {
    call_->fail(error(ErrorCode::cancelled));
    call_->fail(error(ErrorCode::server_failed));
    co_await listen();
  }());
  loop_.run();
  EXPECT_EQ(heard_.end, ErrorCode::cancelled);
}

TEST_F(PendingCallTest, NothingFollowsAnEnd) {
  const struct {
    std::string_view name;
    int before;
    int after;
  } cases[] = {{"an end at once", 0, 2}, {"an end behind messages", 3, 2}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Loop loop(0);
    const auto call = std::make_shared<PendingCall>(loop);
    int messages = 0;
    std::optional<ErrorCode> end;
    const auto run = [&]() -> Task<void> {
      for (int i = 0; i < c.before; ++i)
        EXPECT_TRUE(call->deliver(message("before")));
      call->fail(error(ErrorCode::cancelled));
      for (int i = 0; i < c.after; ++i)
        EXPECT_TRUE(call->deliver(message("after")));
      while (!end.has_value()) {
        const auto next = co_await call->next(hours(1));
        if (!next.has_value()) {
          end = next.error().code;
          continue;
        }
        EXPECT_EQ(next->bytes.view(), "before");
        ++messages;
        EXPECT_TRUE(call->deliver(message("after")));
      }
      loop.stop();
    };
    spawn(loop, run());
    loop.run();
    EXPECT_EQ(messages, c.before);
    EXPECT_EQ(end, ErrorCode::cancelled);
  }
}

/// A message that was read, with what it was read with.
ReceivedMessage parsed(Loop& loop, MemoryBudget& memory, std::string_view text) {
  Receipt receipt = receive_message(loop, memory, Bytes(text), kResponseLimits);
  EXPECT_TRUE(receipt.has_value()) << text;
  return receipt.has_value() ? std::move(*receipt) : ReceivedMessage();
}

// A server that sends faster than the client reads does not fill the memory; the answer has room.
TEST_F(PendingCallTest, IsBounded) {
  constexpr std::string_view kNote = R"({"jsonrpc":"2.0","method":"notifications/message"})";
  constexpr std::string_view kListed =
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed",)"
      R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})";
  constexpr std::string_view kAnswer = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  const struct {
    std::string_view name;
    std::string_view last;
    bool taken;
    std::optional<ErrorCode> end;  ///< Before the end that the test brings.
  } cases[] = {
      {"one more notification", kNote, false, std::nullopt},
      {"one more of a subscription", kListed, true, ErrorCode::overloaded},
      {"the answer", kAnswer, true, std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Loop loop(0);
    MemoryBudget memory(1 << 20);
    const auto call = std::make_shared<PendingCall>(loop);
    std::size_t got = 0;
    std::optional<ErrorCode> end;
    const auto run = [&]() -> Task<void> {
      for (std::size_t i = 0; i < limits::stream_queue_messages_max; ++i)
        EXPECT_TRUE(call->deliver(parsed(loop, memory, kNote)));
      ReceivedMessage last = parsed(loop, memory, c.last);
      EXPECT_EQ(call->deliver(std::move(last)), c.taken);
      // What was not taken is still the server's to be told about.
      if (!c.taken) EXPECT_EQ(last.bytes.view(), c.last);  // NOLINT(bugprone-use-after-move)
      call->fail(error(ErrorCode::cancelled));
      while (!end.has_value()) {
        const auto next = co_await call->next(hours(1));
        if (!next.has_value()) {
          end = next.error().code;
        } else {
          ++got;
        }
      }
      // What was taken off makes room.
      EXPECT_TRUE(call->deliver(parsed(loop, memory, kNote)));
      loop.stop();
    };
    spawn(loop, run());
    loop.run();
    const bool is_answer = c.last == kAnswer;
    EXPECT_EQ(got, limits::stream_queue_messages_max + (is_answer ? 1 : 0));
    EXPECT_EQ(end, c.end.value_or(ErrorCode::cancelled));
  }
}

TEST_F(PendingCallTest, TimesOutAndGoesOn) {
  std::vector<ErrorCode> ends;
  spawn(loop_,
        [](Loop& loop, std::shared_ptr<PendingCall> call,
           std::vector<ErrorCode>& codes) -> Task<void> {
          const auto late = co_await call->next(hours(1));
          codes.push_back(late.has_value() ? ErrorCode::not_found : late.error().code);
          EXPECT_TRUE(call->deliver(message("x")));
          const auto next = co_await call->next(hours(1));
          EXPECT_TRUE(next.has_value());
          loop.stop();
        }(loop_, call_, ends));
  loop_.run_in_turn([&] { loop_.wheel().advance(hours(2) / limits::timer_tick); });
  loop_.run();
  EXPECT_EQ(ends, (std::vector{ErrorCode::timed_out}));
}

// Whoever waits keeps the call alive, and whoever delivers does.
TEST_F(PendingCallTest, LivesAsLongAsSomebodyNeedsIt) {
  spawn(loop_, [](Loop& loop, std::shared_ptr<PendingCall>& held) -> Task<void> {
    const auto next = co_await held->next(hours(1));
    EXPECT_TRUE(next.has_value());
    loop.stop();
  }(loop_, call_));
  loop_.run_in_turn([&] {
    const std::shared_ptr<PendingCall> last = std::exchange(call_, nullptr);
    EXPECT_TRUE(last->deliver(message("x")));
  });
  loop_.run();
}

}  // namespace
}  // namespace bartizan
