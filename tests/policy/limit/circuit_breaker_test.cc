#include "policy/limit/circuit_breaker.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Change = CircuitBreaker::Change;
using Passage = CircuitBreaker::Passage;

constexpr BreakerConfig kThree{.failures = 3, .window = seconds(10), .open = seconds(5)};

constexpr Passage kAny{};

/// Whether the call may go, as `any`, `trial`, or how long not.
std::string ask(CircuitBreaker& breaker, seconds now, CircuitBreaker::Caller caller = {},
                const BreakerConfig& config = kThree) {
  const auto answer = breaker.ask(config, caller, now);
  if (const auto* wait = std::get_if<milliseconds>(&answer)) return std::to_string(wait->count());
  return std::get<Passage>(answer) == kAny ? "any" : "trial";
}

TEST(CircuitBreaker, OpensAfterSoManyFailuresInAWindow) {
  CircuitBreaker breaker;
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(0)), Change::none);
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(9)), Change::none);
  // The first one is out of the window.
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(10)), Change::none);
  EXPECT_EQ(breaker.succeeded(kAny), Change::none);
  EXPECT_EQ(ask(breaker, seconds(10)), "any");
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(18)), Change::opened);
  EXPECT_EQ(ask(breaker, seconds(18)), "5000");
  EXPECT_EQ(ask(breaker, seconds(22)), "1000");
}

TEST(CircuitBreaker, TriesOneCallAtATime) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, kAny, {}, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  EXPECT_EQ(breaker.failed(kThree, {1}, {}, seconds(6)), Change::opened);
  EXPECT_EQ(ask(breaker, seconds(6)), "5000");
  EXPECT_EQ(ask(breaker, seconds(11)), "trial");
  EXPECT_EQ(breaker.succeeded({2}), Change::closed);
  EXPECT_EQ(ask(breaker, seconds(11)), "any");
  EXPECT_EQ(ask(breaker, seconds(11)), "any");
  EXPECT_TRUE(breaker.is_idle(kThree, seconds(11)));
}

TEST(CircuitBreaker, ATrialThatWasCancelledLeavesItsPlaceToAnother) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, kAny, {}, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  breaker.abandoned(kAny);
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  breaker.abandoned({1});
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
}

// What was sent before it opened says nothing about how the server is now.
TEST(CircuitBreaker, LateEndsChangeNothing) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, kAny, {}, seconds(0));
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(4)), Change::none);
  EXPECT_EQ(ask(breaker, seconds(4)), "1000");
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  EXPECT_EQ(breaker.failed(kThree, kAny, {}, seconds(5)), Change::none);
  EXPECT_EQ(breaker.succeeded(kAny), Change::none);
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  EXPECT_EQ(breaker.succeeded({1}), Change::closed);
}

// Whoever is tried with a call that takes for ever does not keep the others out for as long.
TEST(CircuitBreaker, ATrialThatDoesNotEndIsFollowedByAnother) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, kAny, i % 2, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5), 1), "trial");
  EXPECT_EQ(ask(breaker, seconds(9), 2), "1000");
  EXPECT_EQ(ask(breaker, seconds(10), 1), "5000") << "who was tried in vain waits";
  EXPECT_EQ(ask(breaker, seconds(10), 2), "trial");
  // The end of the first one comes late, and says nothing any more.
  EXPECT_EQ(breaker.failed(kThree, {1}, 1, seconds(11)), Change::none);
  breaker.abandoned({1});
  EXPECT_EQ(ask(breaker, seconds(11), 3), "4000");
  EXPECT_EQ(breaker.succeeded({1}), Change::none);
  EXPECT_EQ(breaker.succeeded({2}), Change::closed);
  EXPECT_EQ(ask(breaker, seconds(11), 1), "any");
}

// One that fails whenever it is tried keeps the server closed to itself only.
TEST(CircuitBreaker, OneCallerDoesNotKeepItOpen) {
  CircuitBreaker breaker;
  for (int i = 0; i < 4; ++i)
    breaker.failed(kThree, kAny, i % 2, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5), 1), "trial");
  EXPECT_EQ(breaker.failed(kThree, {1}, 1, seconds(6)), Change::none);
  EXPECT_EQ(ask(breaker, seconds(6), 1), "5000");
  EXPECT_EQ(ask(breaker, seconds(6), 2), "trial");
  breaker.abandoned({2});
  EXPECT_EQ(ask(breaker, seconds(7), 3), "trial");
  EXPECT_EQ(breaker.failed(kThree, {3}, 3, seconds(8)), Change::opened) << "two were tried";
  EXPECT_EQ(ask(breaker, seconds(8), 2), "5000");
  // Alone, it may try again after a while.
  EXPECT_EQ(ask(breaker, seconds(13), 1), "trial");
  EXPECT_EQ(breaker.failed(kThree, {4}, 1, seconds(13)), Change::none);
  EXPECT_EQ(ask(breaker, seconds(17), 1), "1000");
  EXPECT_EQ(ask(breaker, seconds(18), 1), "trial");
  EXPECT_EQ(breaker.succeeded({5}), Change::closed);
}

TEST(CircuitBreaker, OneCallerAmongSeveralDoesNotOpenIt) {
  const BreakerConfig four{.failures = 4, .window = seconds(10), .open = seconds(5)};
  const BreakerConfig once{.failures = 1, .window = seconds(10), .open = seconds(5)};
  const struct {
    std::string_view name;
    BreakerConfig config;
    std::string_view callers;  ///< Of the failures, one a second.
    bool opens;
  } rows[] = {
      {"one caller alone", four, "aaaaaaaaaa", false},
      {"half from one, half from another", four, "aabb", true},
      {"one in four from another", four, "aaab", false},
      {"a caller's oldest are not counted", four, "aaaaaabb", true},
      {"everyone once", four, "abcd", true},
      {"too few", four, "abc", false},
      {"one failure of one caller", once, "a", false},
      {"one failure of two callers", once, "ab", true},
      {"the same of two, out of the window", once, "a..........b", false},
  };
  for (const auto& row : rows) {
    CircuitBreaker breaker;
    Change last = Change::none;
    for (std::size_t i = 0; i < row.callers.size(); ++i) {
      const auto caller = static_cast<std::uint64_t>(row.callers[i]);
      if (caller == '.') continue;
      last = breaker.failed(row.config, kAny, caller, seconds(i));
    }
    EXPECT_EQ(last == Change::opened, row.opens) << row.name;
  }
}

TEST(CircuitTable, TellsServersApartAndIsBounded) {
  CircuitTable table(2);
  const BreakerConfig one{.failures = 1, .window = seconds(10), .open = seconds(5)};
  EXPECT_EQ(table.failed("a", one, kAny, {}, seconds(0)), Change::opened);
  EXPECT_TRUE(std::holds_alternative<milliseconds>(table.ask("a", one, {}, seconds(0))));
  EXPECT_TRUE(std::holds_alternative<Passage>(table.ask("b", one, {}, seconds(0))));
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.succeeded("c", {1}), Change::none);
  // Two that only had a failure are forgotten before one that is open.
  EXPECT_EQ(table.failed("b", kThree, kAny, {}, seconds(0)), Change::none);
  EXPECT_EQ(table.failed("c", kThree, kAny, {}, seconds(20)), Change::none);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(std::get<Passage>(table.ask("a", one, {}, seconds(20))), Passage{1});
  EXPECT_EQ(table.succeeded("a", {1}), Change::closed);
  EXPECT_EQ(table.size(), 1U);
  for (int i = 0; i < 10'000; ++i)
    table.failed(std::to_string(i % 5000), one, kAny, {}, seconds(21));
  EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace bartizan
