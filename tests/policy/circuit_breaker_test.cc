#include "policy/circuit_breaker.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Change = CircuitBreaker::Change;
using Passage = CircuitBreaker::Passage;

constexpr BreakerConfig kThree{.failures = 3, .window = seconds(10), .open = seconds(5)};

/// Whether the call may go, as `any`, `trial`, or how long not.
std::string ask(CircuitBreaker& breaker, seconds now, const BreakerConfig& config = kThree) {
  const auto answer = breaker.ask(config, now);
  if (const auto* wait = std::get_if<milliseconds>(&answer)) return std::to_string(wait->count());
  return std::get<Passage>(answer) == Passage::any ? "any" : "trial";
}

TEST(CircuitBreaker, OpensAfterSoManyFailuresInAWindow) {
  CircuitBreaker breaker;
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(0)), Change::none);
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(9)), Change::none);
  // The first one is out of the window.
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(10)), Change::none);
  EXPECT_EQ(breaker.succeeded(Passage::any), Change::none);
  EXPECT_EQ(ask(breaker, seconds(10)), "any");
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(18)), Change::opened);
  EXPECT_EQ(ask(breaker, seconds(18)), "5000");
  EXPECT_EQ(ask(breaker, seconds(22)), "1000");
}

TEST(CircuitBreaker, TriesOneCallAtATime) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, Passage::any, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  EXPECT_EQ(breaker.failed(kThree, Passage::trial, seconds(6)), Change::opened);
  EXPECT_EQ(ask(breaker, seconds(6)), "5000");
  EXPECT_EQ(ask(breaker, seconds(11)), "trial");
  EXPECT_EQ(breaker.succeeded(Passage::trial), Change::closed);
  EXPECT_EQ(ask(breaker, seconds(11)), "any");
  EXPECT_EQ(ask(breaker, seconds(11)), "any");
  EXPECT_TRUE(breaker.is_idle(kThree, seconds(11)));
}

TEST(CircuitBreaker, ATrialThatWasCancelledLeavesItsPlaceToAnother) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, Passage::any, seconds(0));
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  breaker.abandoned(Passage::any);
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  breaker.abandoned(Passage::trial);
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
}

// What was sent before it opened says nothing about how the server is now.
TEST(CircuitBreaker, LateEndsChangeNothing) {
  CircuitBreaker breaker;
  for (int i = 0; i < 3; ++i)
    breaker.failed(kThree, Passage::any, seconds(0));
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(4)), Change::none);
  EXPECT_EQ(ask(breaker, seconds(4)), "1000");
  EXPECT_EQ(ask(breaker, seconds(5)), "trial");
  EXPECT_EQ(breaker.failed(kThree, Passage::any, seconds(5)), Change::none);
  EXPECT_EQ(breaker.succeeded(Passage::any), Change::none);
  EXPECT_EQ(ask(breaker, seconds(5)), "5000");
  EXPECT_EQ(breaker.succeeded(Passage::trial), Change::closed);
}

TEST(CircuitTable, TellsServersApartAndIsBounded) {
  CircuitTable table(2);
  const BreakerConfig one{.failures = 1, .window = seconds(10), .open = seconds(5)};
  EXPECT_EQ(table.failed("a", one, Passage::any, seconds(0)), Change::opened);
  EXPECT_TRUE(std::holds_alternative<milliseconds>(table.ask("a", one, seconds(0))));
  EXPECT_TRUE(std::holds_alternative<Passage>(table.ask("b", one, seconds(0))));
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.succeeded("c", Passage::trial), Change::none);
  // Two that only had a failure are forgotten before one that is open.
  EXPECT_EQ(table.failed("b", kThree, Passage::any, seconds(0)), Change::none);
  EXPECT_EQ(table.failed("c", kThree, Passage::any, seconds(20)), Change::none);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(std::get<Passage>(table.ask("a", one, seconds(20))), Passage::trial);
  EXPECT_EQ(table.succeeded("a", Passage::trial), Change::closed);
  EXPECT_EQ(table.size(), 1U);
  for (int i = 0; i < 10'000; ++i)
    table.failed(std::to_string(i % 5000), one, Passage::any, seconds(21));
  EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace bartizan
