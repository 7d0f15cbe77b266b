#include "gateway/facts/fact_gatherer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gateway/runtime/loop.h"
#include "tests/gateway/gate.h"

namespace bartizan {
namespace {

using Ask = FactQuery::Kind;

/// A name that begins with `slow` is answered when the gate is open.
Finding answer(Gate& gate, const FactQuery& question) {
  gate.pass(question.name.starts_with("slow") ? Gate::Pace::slow : Gate::Pace::at_once);
  return FoundContent{question.name};
}

class FactGathererTest : public testing::Test {
 protected:
  ~FactGathererTest() override { gate_->open(); }

  Task<void> gather(std::string caller, std::vector<FactQuery> questions) {
    ++waiting_;
    facts_.push_back(co_await gatherer_->gather(loop_, caller, std::move(questions)));
    if (--waiting_ == 0) loop_.stop();
  }
  Task<void> gather_twice(std::vector<FactQuery> first, std::vector<FactQuery> second) {
    facts_.push_back(co_await gatherer_->gather(loop_, "ann", std::move(first)));
    facts_.push_back(co_await gatherer_->gather(loop_, "ann", std::move(second)));
    loop_.stop();
  }
  static FactQuery name(std::string name) {
    return {.kind = Ask::addresses, .name = std::move(name)};
  }
  static FactQuery path(std::string name) {
    return {.kind = Ask::place, .root = "/srv", .name = std::move(name)};
  }
  static bool is_answered(const GatheredFact& fact) {
    return fact.finding == Finding(FoundContent{fact.question.name});
  }
  /// Asks so many threads for what hangs, from a loop that ends when it has waited enough.
  void ask_and_end_the_loop(int threads) {
    const auto other = std::make_unique<Loop>(std::uint16_t{1});
    std::vector<FactQuery> slow;
    slow.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i)
      slow.push_back(name("slow" + std::to_string(i)));
    spawn(*other, gather_on(*other, std::move(slow)));
    other->run_in_turn([&] {
      gate_->wait_for(threads);
      other->wheel().advance(limits::gathering_timeout * 2 / limits::timer_tick);
    });
    other->run();
  }
  Task<void> gather_on(Loop& loop, std::vector<FactQuery> questions) {
    for (const GatheredFact& fact : co_await gatherer_->gather(loop, "ann", std::move(questions)))
      EXPECT_FALSE(is_answered(fact));
    loop.stop();
  }
  /// Until no thread has what it answers with any more, after the end of the gatherer.
  void wait_for_threads() {
    while (gate_.use_count() > 1)
      std::this_thread::yield();
  }
  void expire() {
    // The wheel's ticks are the loop's only clock for waits.
    loop_.wheel().advance(limits::gathering_timeout * 2 / limits::timer_tick);
  }

  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  Loop loop_{0};
  // A thread that hangs keeps what it looks into.
  std::unique_ptr<FactGatherer> gatherer_ = std::make_unique<FactGatherer>(
      [gate = gate_](const FactQuery& question) { return answer(*gate, question); });
  std::vector<std::vector<GatheredFact>> facts_;
  int waiting_ = 0;
};

TEST_F(FactGathererTest, AnswersInOrder) {
  spawn(loop_, gather("ann", {path("a"), name("b"), path("c"), name("d")}));
  loop_.run();
  ASSERT_EQ(facts_.size(), 1U);
  ASSERT_EQ(facts_[0].size(), 4U);
  const std::vector<std::string> names{"a", "b", "c", "d"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(facts_[0][i].question.name, names[i]);
    EXPECT_TRUE(is_answered(facts_[0][i]));
  }
}

TEST_F(FactGathererTest, AsksNobodyWithoutAQuestion) {
  spawn(loop_, gather("ann", {}));
  loop_.run();
  EXPECT_EQ(facts_.size(), 1U);
  EXPECT_EQ(gate_->asked(), 0);
}

TEST_F(FactGathererTest, DoesNotWaitForWhatHangs) {
  // The disk and other names are looked at all the same.
  spawn(loop_, gather_twice({name("slow"), name("b")}, {path("a"), name("c")}));
  loop_.run_in_turn([&] {
    gate_->wait_for(2);
    expire();
  });
  loop_.run();
  ASSERT_EQ(facts_.size(), 2U);
  EXPECT_TRUE(facts_[0][0].finding == Finding(NotFoundOut()));
  EXPECT_TRUE(is_answered(facts_[1][0]));
  EXPECT_TRUE(is_answered(facts_[1][1]));
}

TEST_F(FactGathererTest, LeavesThreadsToOtherCallers) {
  std::vector<FactQuery> slow;
  slow.reserve(16);
  for (int i = 0; i < 16; ++i)
    slow.push_back(name("slow" + std::to_string(i)));
  spawn(loop_, gather("ann", slow));
  loop_.run_in_turn([&] {
    gate_->wait_for(4);
    spawn(loop_, gather("bob", {name("b")}));
    gate_->wait_for(5);
    EXPECT_EQ(gate_->asked(), 5) << "ann holds half of the threads, and no more";
    gate_->open();
  });
  loop_.run();
  ASSERT_EQ(facts_.size(), 2U);
  EXPECT_EQ(gate_->asked(), 17);
}

TEST_F(FactGathererTest, FindsNothingOutOnceItIsClosed) {
  spawn(loop_, gather_twice({name("slow")}, {name("b"), path("a")}));
  loop_.run_in_turn([&] {
    gate_->wait_for(1);
    gatherer_->close();
    gate_->open();
    expire();
  });
  loop_.run();
  ASSERT_EQ(facts_.size(), 2U);
  EXPECT_TRUE(facts_[0][0].finding == Finding(NotFoundOut()));
  EXPECT_TRUE(facts_[1][0].finding == Finding(NotFoundOut()));
  EXPECT_TRUE(facts_[1][1].finding == Finding(NotFoundOut()));
  EXPECT_EQ(gate_->asked(), 1);
}

// As a gateway ends: the loops are gone, and the threads come back later.
TEST_F(FactGathererTest, TouchesNoLoopOnceItIsClosed) {
  ask_and_end_the_loop(1);
  gatherer_->close();
  gate_->open();
  gatherer_.reset();
  wait_for_threads();
}

TEST_F(FactGathererTest, TouchesNoLoopThatHasEndedBefore) {
  // All that one caller may hold: who asks next is answered when one of them is back.
  ask_and_end_the_loop(4);
  gate_->open();
  spawn(loop_, gather("ann", {name("b")}));
  loop_.run();
  ASSERT_EQ(facts_.size(), 1U);
  EXPECT_TRUE(is_answered(facts_[0][0]));
  gatherer_.reset();
  wait_for_threads();
}

TEST(LookOutside, AsksTheResolverOfThisMachine) {
  const Finding found = look_outside({.kind = Ask::addresses, .name = "localhost"});
  const auto* addresses = std::get_if<FoundAddresses>(&found);
  ASSERT_NE(addresses, nullptr);
  for (const std::string& address : addresses->addresses)
    EXPECT_TRUE(address == "127.0.0.1" || address == "::1") << address;
  EXPECT_TRUE(look_outside({.kind = Ask::addresses, .name = "no such name"}) ==
              Finding(NotFoundOut()));
}

}  // namespace
}  // namespace bartizan
