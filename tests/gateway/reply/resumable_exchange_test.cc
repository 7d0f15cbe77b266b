#include "gateway/reply/resumable_exchange.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

class ResumableExchangeTest : public testing::Test {
 protected:
  Loop loop_{0};
  MemoryBudget memory_{std::uint64_t{64} << 20};
  ResumeBudget share_{memory_};
  std::shared_ptr<ResumeBuffer> kept_ = std::make_shared<ResumeBuffer>(share_, "ann");
  std::shared_ptr<HttpReply> reply_ = std::make_shared<HttpReply>(loop_);
  std::shared_ptr<ResumableExchange> exchange_;

  void begin(ProtocolVersion version = ProtocolVersion::v2025_11_25,
             StreamPreference wish = StreamPreference::when_needed) {
    exchange_ = std::make_shared<ResumableExchange>(loop_, wish, ReplyRoute(loop_, reply_));
    exchange_->on_open([this, version] {
      return Keeping{.events = kept_, .version = version, .origin = {.request = "{}"}};
    });
    settle();
  }
  void settle() {
    asio::post(loop_.io(), [&] { loop_.stop(); });
    loop_.run();
    loop_.io().restart();
  }
  /// What has arrived since: `ID MESSAGE` of each event.
  std::vector<std::string> take(HttpReply& reply) {
    settle();
    std::vector<std::string> events;
    while (const auto event = reply.take_event()) {
      const std::string id = event->kept != nullptr ? event->kept->id_text() : event->id;
      events.push_back(id + " " + std::string(event->text()));
      if (event->retry_ms.has_value()) events.back() += "retry";
    }
    return events;
  }
};
using Events = std::vector<std::string>;

TEST_F(ResumableExchangeTest, AnAnswerInOnePieceLeavesNothingBehind) {
  begin();
  exchange_->finish({.message = "end"});
  EXPECT_EQ(take(*reply_), Events{});
  EXPECT_EQ(reply_->answer()->message, "end");
  EXPECT_EQ(reply_->last_event(), nullptr);
  EXPECT_EQ(memory_.used(), 0U);
}

TEST_F(ResumableExchangeTest, AStreamBeginsAsItsRevisionHasIt) {
  const struct {
    ProtocolVersion version;
    Events want;
  } cases[] = {
      {ProtocolVersion::v2025_11_25, {"1-0 retry", "1-1 a"}},
      {ProtocolVersion::v2025_06_18, {" ", "1-1 a"}},
      {ProtocolVersion::v2025_03_26, {" ", "1-1 a"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(text(c.version));
    kept_ = std::make_shared<ResumeBuffer>(share_, "ann");
    reply_ = std::make_shared<HttpReply>(loop_);
    begin(c.version);
    exchange_->send("a");
    EXPECT_EQ(take(*reply_), c.want);
    exchange_->finish({.message = "end"});
    settle();
    EXPECT_EQ(reply_->last_event()->id_text(), "1-2");
    EXPECT_EQ(reply_->last_event()->message, "end");
  }
}

TEST_F(ResumableExchangeTest, AClientThatLeavesCancelsNothingAndComesBack) {
  begin();
  int cancelled = 0;
  exchange_->on_cancel([&] { ++cancelled; });
  exchange_->send("a");
  EXPECT_EQ(take(*reply_), (Events{"1-0 retry", "1-1 a"}));
  reply_->cancel();
  settle();
  EXPECT_EQ(cancelled, 0);
  EXPECT_FALSE(exchange_->has_listener());
  settle();
  EXPECT_TRUE(reply_->is_overrun()) << "its connection waits for nothing more";
  exchange_->send("missed");
  EXPECT_EQ(kept_->after({1, 1})->events.size(), 1U);
  const auto next = std::make_shared<HttpReply>(loop_);
  exchange_->redirect(ReplyRoute(loop_, next), {{.kept = kept_->after({1, 1})->events.front()}});
  EXPECT_TRUE(exchange_->has_listener());
  exchange_->send("b");
  exchange_->finish({.message = "end"});
  EXPECT_EQ(take(*next), (Events{"1-2 missed", "1-3 b"}));
  EXPECT_EQ(next->last_event()->id_text(), "1-4");
  EXPECT_TRUE(kept_->after({1, 4})->is_over);
}

TEST_F(ResumableExchangeTest, AnOldConnectionIsCutAndItsEndMeansNothing) {
  begin(ProtocolVersion::v2025_11_25, StreamPreference::at_once);
  const auto next = std::make_shared<HttpReply>(loop_);
  exchange_->redirect(ReplyRoute(loop_, next), {});
  settle();
  EXPECT_TRUE(reply_->is_overrun());
  reply_->cancel();
  settle();
  EXPECT_TRUE(exchange_->has_listener());
  EXPECT_FALSE(next->is_overrun());
}

TEST_F(ResumableExchangeTest, AServerThatPausesLetsTheClientGo) {
  begin();
  exchange_->pause();
  settle();
  EXPECT_FALSE(reply_->answer().has_value()) << "nothing was begun that could be resumed";
  reply_->open();
  settle();
  exchange_->pause();
  EXPECT_EQ(take(*reply_), (Events{"1-0 retry"}));
  ASSERT_TRUE(reply_->answer().has_value());
  EXPECT_EQ(reply_->answer()->message, "");
  exchange_->finish({.message = "end"});
  EXPECT_EQ(kept_->after({1, 0})->events.at(0)->message, "end");
}

TEST_F(ResumableExchangeTest, OlderClientsAreNotSentAway) {
  begin(ProtocolVersion::v2025_06_18);
  exchange_->send("a");
  exchange_->pause();
  settle();
  EXPECT_FALSE(reply_->answer().has_value());
}

TEST_F(ResumableExchangeTest, WhoCannotComeBackCancelsNothingEither) {
  kept_->close();
  begin();
  int cancelled = 0;
  exchange_->on_cancel([&] { ++cancelled; });
  exchange_->send("a");
  EXPECT_EQ(take(*reply_), (Events{" ", " a"}));
  reply_->cancel();
  settle();
  EXPECT_EQ(cancelled, 0);
}

TEST_F(ResumableExchangeTest, AsksWhereToKeepOnceAndOnlyForAStream) {
  int asked = 0;
  const auto keeping = [&] {
    ++asked;
    return Keeping{.events = kept_, .version = ProtocolVersion::v2025_11_25, .origin = {}};
  };
  exchange_ = std::make_shared<ResumableExchange>(loop_, StreamPreference::when_needed,
                                                  ReplyRoute(loop_, reply_));
  exchange_->on_open(keeping);
  settle();
  EXPECT_EQ(asked, 0);
  exchange_->send("a");
  exchange_->send("b");
  reply_->open();
  settle();
  EXPECT_EQ(asked, 1);
  reply_ = std::make_shared<HttpReply>(loop_);
  exchange_ = std::make_shared<ResumableExchange>(loop_, StreamPreference::when_needed,
                                                  ReplyRoute(loop_, reply_));
  exchange_->on_open(keeping);
  exchange_->finish({.message = "end"});
  settle();
  reply_->open();
  settle();
  EXPECT_EQ(asked, 1) << "the end came first";
}

// What the gateway answers itself is a stream for who prefers one, and not kept.
TEST_F(ResumableExchangeTest, AnAnswerOfOurOwnIsAStreamWithoutIds) {
  const struct {
    StreamPreference wish;
    Answer answer;
    Events want;
  } cases[] = {
      {StreamPreference::at_once, {.message = "end"}, {" "}},
      {StreamPreference::when_needed, {.message = "end"}, {}},
      {StreamPreference::at_once, {.message = "no", .protocol_error = ErrorCode::not_found}, {}},
      {StreamPreference::at_once, {.message = ""}, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.answer.message);
    reply_ = std::make_shared<HttpReply>(loop_);
    ResumableExchange exchange(loop_, c.wish, ReplyRoute(loop_, reply_));
    exchange.finish({.message = c.answer.message, .protocol_error = c.answer.protocol_error});
    EXPECT_EQ(take(*reply_), c.want);
    EXPECT_EQ(reply_->answer()->message, c.answer.message);
    EXPECT_EQ(reply_->last_event(), nullptr);
  }
}

TEST_F(ResumableExchangeTest, WhoWasRefusedCancels) {
  begin();
  int cancelled = 0;
  exchange_->on_cancel([&] { ++cancelled; });
  exchange_->send("a");
  exchange_->abandon();
  EXPECT_EQ(cancelled, 1);
  settle();
  EXPECT_TRUE(reply_->is_overrun());
}

TEST_F(ResumableExchangeTest, OneThatIsDroppedIsEnded) {
  begin();
  exchange_ = nullptr;
  settle();
  ASSERT_TRUE(reply_->answer().has_value());
  EXPECT_EQ(reply_->answer()->protocol_error, ErrorCode::server_failed);
}

}  // namespace
}  // namespace bartizan
