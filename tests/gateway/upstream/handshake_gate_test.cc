#include "gateway/upstream/handshake_gate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "gateway/runtime/loop.h"

namespace bartizan {
namespace {

constexpr std::chrono::seconds kLong{10};

class HandshakeGateTest : public testing::Test {
 protected:
  /// What a waiter finds once the handshake is over: the server's instructions, or why there is
  /// none.
  Task<void> wait(std::chrono::milliseconds longest) {
    co_await gate_.wait(longest);
    const auto& introduction = gate_.introduction();
    found_.push_back(introduction.has_value() ? introduction->instructions
                                              : gate_.failure().detail);
    if (found_.size() == wanted_) loop_.stop();
  }
  /// Ends the handshake once both wait for it.
  Task<void> end_handshake(std::optional<ServerHandshake> introduction) {
    co_await yield_batch(loop_);
    EXPECT_TRUE(gate_.has_waiters());
    if (introduction.has_value()) {
      gate_.learn(*std::move(introduction));
      EXPECT_TRUE(gate_.is_going_on());
      EXPECT_TRUE(found_.empty());
      gate_.end();
    } else {
      gate_.fail({ErrorCode::server_failed, Fault::server, "it ended"});
    }
    EXPECT_FALSE(gate_.is_going_on());
    EXPECT_FALSE(gate_.has_waiters());
  }
  ServerHandshake named(std::string instructions) {
    ServerHandshake introduction;
    introduction.instructions = std::move(instructions);
    return introduction;
  }

  Loop loop_{0};
  HandshakeGate gate_{loop_, {ErrorCode::server_unavailable, Fault::server, "never asked"}};
  std::vector<std::string> found_;
  std::size_t wanted_ = 2;
};

TEST_F(HandshakeGateTest, WakesAllWhoWaitOnceItIsOver) {
  gate_.begin();
  spawn(loop_, wait(kLong));
  spawn(loop_, wait(kLong));
  spawn(loop_, end_handshake(named("hello")));
  loop_.run();
  EXPECT_EQ(found_, (std::vector<std::string>{"hello", "hello"}));
}

TEST_F(HandshakeGateTest, SaysWhyThereIsNoAnswer) {
  EXPECT_EQ(gate_.failure().detail, "never asked");
  gate_.begin();
  gate_.explain({ErrorCode::server_failed, Fault::server, "it is silent"});
  EXPECT_EQ(gate_.failure().detail, "it is silent");
  spawn(loop_, wait(kLong));
  spawn(loop_, wait(kLong));
  spawn(loop_, end_handshake(std::nullopt));
  loop_.run();
  EXPECT_EQ(found_, (std::vector<std::string>{"it ended", "it ended"}));
}

TEST_F(HandshakeGateTest, LetsNobodyWaitWhereNoneIsGoingOn) {
  wanted_ = 1;
  spawn(loop_, wait(kLong));
  loop_.run();
  EXPECT_EQ(found_, (std::vector<std::string>{"never asked"}));
}

TEST_F(HandshakeGateTest, LetsNobodyWaitLongerThanTheyWant) {
  wanted_ = 1;
  gate_.begin();
  spawn(loop_, wait(std::chrono::milliseconds(1)));
  loop_.run();
  EXPECT_EQ(found_, (std::vector<std::string>{"never asked"}));
  EXPECT_TRUE(gate_.is_going_on());
}

TEST_F(HandshakeGateTest, ForgetsWhatTheServerSaid) {
  gate_.begin();
  gate_.learn(named("hello"));
  gate_.end();
  gate_.forget();
  EXPECT_FALSE(gate_.introduction().has_value());
}

}  // namespace
}  // namespace bartizan
