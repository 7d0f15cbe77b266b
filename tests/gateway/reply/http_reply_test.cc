#include "gateway/reply/http_reply.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::chrono::hours;

class HttpReplyTest : public testing::Test {
 protected:
  Loop loop_{0};
  std::shared_ptr<HttpReply> reply_ = std::make_shared<HttpReply>(loop_);

  /// The client leaves, and what comes for it all the same is kept.
  Task<void> leave_and_read(std::vector<std::string>& messages) {
    reply_->cancel();
    while (reply_->has_message() || !reply_->answer().has_value()) {
      co_await reply_->wait(hours(1));
      for (std::string& message : take_all())
        messages.push_back(std::move(message));
    }
    loop_.stop();
  }
  /// Runs everything that was posted.
  void settle() {
    asio::post(loop_.io(), [&] { loop_.stop(); });
    loop_.run();
    loop_.io().restart();
  }

  std::vector<std::string> take_all() {
    std::vector<std::string> messages;
    while (auto event = reply_->take_event())
      messages.push_back(std::move(event->message));
    return messages;
  }
};

TEST_F(HttpReplyTest, KeepsTheOrderAndTheFirstEnd) {
  EXPECT_FALSE(reply_->take_event().has_value());
  reply_->push({"a"});
  reply_->push({"b"});
  reply_->finish({.message = "first"});
  reply_->finish({.message = "second"});
  EXPECT_TRUE(reply_->has_message());
  EXPECT_EQ(take_all(), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(reply_->has_message());
  ASSERT_TRUE(reply_->answer().has_value());
  EXPECT_EQ(reply_->answer()->message, "first");
  EXPECT_FALSE(reply_->is_overrun());
}

TEST_F(HttpReplyTest, CutsOffWhoDoesNotRead) {
  const struct {
    std::string_view name;
    std::size_t messages;
    std::size_t bytes_each;
    bool overrun;
    std::size_t kept;
  } cases[] = {
      {"as many as fit", limits::stream_queue_messages_max, 1, false,
       limits::stream_queue_messages_max},
      {"one more", limits::stream_queue_messages_max + 1, 1, true,
       limits::stream_queue_messages_max},
      {"as many bytes as fit", 2, limits::stream_queue_bytes_max / 2, false, 2},
      {"one more byte", 2, limits::stream_queue_bytes_max / 2 + 1, true, 1},
      // An answer may be larger than the queue; it must still arrive when it is alone.
      {"one that is larger than all", 1, limits::stream_queue_bytes_max + 1, false, 1},
      {"two of these", 2, limits::stream_queue_bytes_max + 1, true, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    HttpReply reply(loop_);
    for (std::size_t i = 0; i < c.messages; ++i)
      reply.push({std::string(c.bytes_each, 'x')});
    EXPECT_EQ(reply.is_overrun(), c.overrun);
    std::size_t kept = 0;
    while (reply.take_event().has_value())
      ++kept;
    EXPECT_EQ(kept, c.kept);
  }
}

TEST_F(HttpReplyTest, ReadingMakesRoom) {
  for (int round = 0; round < 4; ++round) {
    reply_->push({std::string(limits::stream_queue_bytes_max, 'x')});
    EXPECT_TRUE(reply_->take_event().has_value());
  }
  EXPECT_FALSE(reply_->is_overrun());
}

TEST_F(HttpReplyTest, WaitsForNews) {
  std::vector<bool> news;
  spawn(loop_,
        [](Loop& loop, std::shared_ptr<HttpReply> reply, std::vector<bool>& seen) -> Task<void> {
          seen.push_back(co_await reply->wait(hours(1)));  // The message.
          reply->take_event();
          seen.push_back(co_await reply->wait(hours(1)));  // What was remembered of it.
          seen.push_back(co_await reply->wait(hours(1)));  // Nothing.
          seen.push_back(co_await reply->wait(hours(1)));  // Another message, come meanwhile.
          reply->finish({});
          seen.push_back(co_await reply->wait(hours(1)));
          seen.push_back(co_await reply->wait(hours(1)));  // The end stays.
          loop.stop();
        }(loop_, reply_, news));
  reply_->push({"x"});
  loop_.run_in_turn([&] {
    loop_.run_in_turn([&] {
      loop_.wheel().advance(hours(2) / limits::timer_tick);
      loop_.run_in_turn([&] { loop_.run_in_turn([&] { reply_->push({"y"}); }); });
    });
  });
  loop_.run();
  EXPECT_EQ(news, (std::vector{true, true, false, true, true, true}));
}

TEST_F(HttpReplyTest, CancelsOnceWhetherBeforeOrAfter) {
  for (const bool gone_first : {true, false}) {
    SCOPED_TRACE(gone_first ? "the client went first" : "the call was ready first");
    HttpReply reply(loop_);
    int cancelled = 0;
    const auto listen = [&] { reply.on_cancel(loop_, [&] { ++cancelled; }); };
    if (gone_first) reply.cancel();
    listen();
    if (!gone_first) {
      settle();
      EXPECT_EQ(cancelled, 0);
      reply.cancel();
    }
    reply.cancel();
    settle();
    EXPECT_EQ(cancelled, 1);
  }
}

/// Keeps what it is told.
class Listener final : public ReplyListener {
 public:
  void on_stream() override { told += "stream "; }
  void on_gone(std::uint64_t connection) override { told += std::to_string(connection) + " gone "; }

  std::string told;
};

TEST_F(HttpReplyTest, TellsItsListenerWhateverCameFirst) {
  for (const bool is_late : {true, false}) {
    SCOPED_TRACE(is_late ? "the listener came last" : "the listener came first");
    HttpReply reply(loop_);
    const auto listener = std::make_shared<Listener>();
    const auto happen = [&] {
      reply.open();
      reply.cancel();
    };
    EXPECT_FALSE(reply.is_resumable());
    if (is_late) happen();
    reply.listen(loop_, listener, 7);
    if (!is_late) happen();
    settle();
    EXPECT_TRUE(reply.is_resumable());
    EXPECT_TRUE(listener->told.contains("stream "));
    EXPECT_TRUE(listener->told.contains("7 gone "));
  }
}

/// Gives up its route, which nobody else has, when it hears that the client is gone.
class Quitter final : public ReplyListener {
 public:
  explicit Quitter(ReplyRoute route) : route_(std::move(route)) {}
  void listen(Loop& home) { route_->listen(home, weak_from_this(), 1); }
  void on_stream() override {}
  void on_gone(std::uint64_t /*connection*/) override { route_.reset(); }

 private:
  std::optional<ReplyRoute> route_;
};

TEST_F(HttpReplyTest, MayBeGivenUpByWhoeverItTells) {
  auto reply = std::make_shared<HttpReply>(loop_);
  reply->open();
  reply->cancel();
  const auto quitter = std::make_shared<Quitter>(ReplyRoute(loop_, std::move(reply)));
  asio::post(loop_.io(), [&] { quitter->listen(loop_); });
  settle();
}

TEST_F(HttpReplyTest, HoldsNoListener) {
  HttpReply reply(loop_);
  auto listener = std::make_shared<Listener>();
  reply.listen(loop_, listener, 1);
  EXPECT_EQ(listener.use_count(), 1);
  listener = nullptr;
  reply.open();
  reply.cancel();
  settle();
}

TEST_F(HttpReplyTest, TheLastListenerIsCancelled) {
  std::vector<std::string> cancelled;
  reply_->on_cancel(loop_, [&] { cancelled.push_back("first"); });
  reply_->on_cancel(loop_, [&] { cancelled.push_back("second"); });
  reply_->cancel();
  settle();
  EXPECT_EQ(cancelled, (std::vector<std::string>{"second"}));
}

TEST_F(HttpReplyTest, AnExchangeThatIsDroppedIsEnded) {
  {
    HttpExchange exchange(ReplyRoute(loop_, reply_), loop_);
  }
  settle();
  ASSERT_TRUE(reply_->answer().has_value());
  EXPECT_EQ(reply_->answer()->protocol_error, ErrorCode::server_failed);
}

TEST_F(HttpReplyTest, AnExchangeThatEndedIsNotEndedAgain) {
  {
    HttpExchange exchange(ReplyRoute(loop_, reply_), loop_);
    exchange.send("a");
    exchange.finish({.message = "b"});
  }
  settle();
  EXPECT_EQ(take_all(), (std::vector<std::string>{"a"}));
  EXPECT_EQ(reply_->answer()->message, "b");
  EXPECT_EQ(reply_->answer()->protocol_error, std::nullopt);
}

// The call runs on another worker than its connection.
TEST_F(HttpReplyTest, CrossesWorkersInOrder) {
  Loop home(1);
  std::thread::id cancelled_on;
  std::jthread worker([&] {
    auto exchange = std::make_shared<HttpExchange>(ReplyRoute(loop_, reply_), home);
    asio::post(home.io(), [&, exchange] {
      exchange->on_cancel([&, exchange] {
        cancelled_on = std::this_thread::get_id();
        for (int i = 0; i < 50; ++i)
          exchange->send(std::to_string(i));
        exchange->finish({.message = "end"});
        home.stop();
      });
    });
    home.run();
  });
  const std::thread::id home_thread = worker.get_id();
  std::vector<std::string> messages;
  spawn(loop_, leave_and_read(messages));
  loop_.run();
  worker.join();
  EXPECT_EQ(cancelled_on, home_thread);
  EXPECT_EQ(reply_->answer()->message, "end");
  ASSERT_EQ(messages.size(), 50U);
  EXPECT_EQ(messages.front(), "0");
  EXPECT_EQ(messages.back(), "49");
}

}  // namespace
}  // namespace bartizan
