#include "gateway/console/console_sessions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace bartizan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const ConsoleSession::Clock::time_point kBegin{std::chrono::hours(1)};

ConsoleSessions::Random filled(int byte) {
  ConsoleSessions::Random random{};
  random.fill(static_cast<std::uint8_t>(byte));
  return random;
}

class ConsoleSessionsTest : public testing::Test {
 protected:
  /// A session of that principal, with an id of its own.
  std::string begin(const std::string& principal, ConsoleSession::Clock::time_point now = kBegin) {
    ++last_;
    return sessions_.begin(
        {.principal = std::make_shared<const Principal>(Principal{.id = principal}),
         .proof = "api_key:k"},
        filled(last_), filled(0x80 + last_), now);
  }

  ConsoleSessions sessions_;
  int last_ = 0;
};

TEST_F(ConsoleSessionsTest, AreFoundByTheirIdAndNothingElse) {
  const std::string ann = begin("ann");
  const std::string bob = begin("bob");
  EXPECT_EQ(ann.size(), 64U);
  ASSERT_NE(sessions_.find(ann, kBegin), nullptr);
  EXPECT_EQ(sessions_.find(ann, kBegin)->principal->id, "ann");
  EXPECT_EQ(sessions_.find(bob, kBegin)->principal->id, "bob");
  EXPECT_EQ(sessions_.find(ann, kBegin)->csrf.size(), 64U);
  EXPECT_NE(sessions_.find(ann, kBegin)->csrf, sessions_.find(bob, kBegin)->csrf);
  for (const std::string& other : {std::string(), std::string(64, '0'), ann.substr(1), ann + "0",
                                   sessions_.find(ann, kBegin)->csrf})
    EXPECT_EQ(sessions_.find(other, kBegin), nullptr) << other;
  sessions_.end(ann);
  EXPECT_EQ(sessions_.find(ann, kBegin), nullptr);
  EXPECT_NE(sessions_.find(bob, kBegin), nullptr);
}

TEST_F(ConsoleSessionsTest, EndWhenNobodyUsesThem) {
  const std::string id = begin("ann");
  EXPECT_NE(sessions_.find(id, kBegin + minutes(14)), nullptr);
  EXPECT_NE(sessions_.find(id, kBegin + minutes(28)), nullptr);
  EXPECT_EQ(sessions_.find(id, kBegin + minutes(43)), nullptr);
  EXPECT_EQ(sessions_.find(id, kBegin + minutes(28)), nullptr) << "it does not come back";
  EXPECT_EQ(sessions_.size(), 0U);
}

TEST_F(ConsoleSessionsTest, EndHoweverMuchTheyAreUsed) {
  const std::string id = begin("ann");
  auto now = kBegin;
  while (now + minutes(10) < kBegin + limits::console_session_max) {
    now += minutes(10);
    ASSERT_NE(sessions_.find(id, now), nullptr);
  }
  EXPECT_EQ(sessions_.find(id, kBegin + limits::console_session_max), nullptr);
}

TEST_F(ConsoleSessionsTest, OfOnePrincipalAreFew) {
  const std::string bob = begin("bob");
  std::vector<std::string> of_ann;
  for (std::size_t i = 0; i < limits::console_sessions_per_principal_max; ++i)
    of_ann.push_back(begin("ann", kBegin + seconds(i)));
  EXPECT_NE(sessions_.find(of_ann[0], kBegin + minutes(1)), nullptr);
  const std::string next = begin("ann", kBegin + minutes(2));
  EXPECT_NE(sessions_.find(of_ann[0], kBegin + minutes(2)), nullptr) << "it was used since";
  EXPECT_EQ(sessions_.find(of_ann[1], kBegin + minutes(2)), nullptr);
  EXPECT_NE(sessions_.find(next, kBegin + minutes(2)), nullptr);
  EXPECT_NE(sessions_.find(bob, kBegin + minutes(2)), nullptr);
}

TEST_F(ConsoleSessionsTest, AreBoundedTogether) {
  const std::string first = begin("p0");
  for (std::size_t i = 1; i < 2 * limits::console_sessions_max; ++i)
    begin("p" + std::to_string(i), kBegin + seconds(i));
  EXPECT_EQ(sessions_.size(), limits::console_sessions_max);
  EXPECT_EQ(sessions_.find(first, kBegin + minutes(3)), nullptr);
}

}  // namespace
}  // namespace bartizan
