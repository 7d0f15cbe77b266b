#include "policy/limit/fair_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace bartizan {
namespace {

using Places = FairQueue::Places;

/// Callers by letters; each call's ticket is the place at which it came, from 1.
class Row {
 public:
  explicit Row(std::size_t places_max, Places places = Places::shared)
      : places_max_(places_max), places_(places) {}

  bool enter(char caller) {
    callers_ += caller;
    const auto turn = static_cast<std::uint64_t>(caller);
    return queue_.enter({.ticket = callers_.size(), .caller = turn}, places_max_, places_);
  }
  /// Who waits, in the order in which they will go on.
  std::string order() const {
    std::string order;
    for (const Ticket ticket : queue_.first(queue_.size()))
      order += callers_[ticket - 1];
    return order;
  }
  char serve() {
    const Ticket ticket = queue_.first(1).at(0);
    queue_.serve(ticket);
    return callers_[ticket - 1];
  }
  FairQueue& queue() { return queue_; }

 private:
  std::size_t places_max_;
  Places places_;
  std::string callers_;
  FairQueue queue_;
};

TEST(FairQueue, LetsCallersTakeTurns) {
  const struct {
    std::string_view come, order;
  } rows[] = {
      {"", ""},         {"A", "A"},           {"AAA", "AAA"},       {"AB", "AB"},
      {"AAAB", "ABAA"}, {"AAABBC", "ABCABA"}, {"BAAAAB", "BAABAA"}, {"ABCABC", "ABCABC"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.come);
    Row queue(100);
    for (const char caller : row.come)
      EXPECT_TRUE(queue.enter(caller));
    EXPECT_EQ(queue.order(), row.order);
  }
}

// A caller with a thousand calls does not make another wait for more than one of them, whenever it
// comes.
TEST(FairQueue, ANewcomerIsSecondAtMost) {
  Row queue(2048, Places::own);
  for (int i = 0; i < 1000; ++i)
    queue.enter('A');
  for (int i = 0; i < 500; ++i) {
    queue.enter('B');
    EXPECT_LE(queue.queue().ahead(1001 + static_cast<Ticket>(i)), 1U);
    while (queue.serve() != 'B') {
    }
  }
}

// Whoever comes now counts from the next round, or a caller who is served and comes again at once
// would always be first.
TEST(FairQueue, TurnsGoOnAfterServing) {
  Row queue(100);
  for (const char caller : std::string_view("AAAABBB"))
    queue.enter(caller);
  std::string served;
  for (int i = 0; i < 3; ++i)
    served += queue.serve();
  EXPECT_EQ(served, "ABA");
  queue.enter('C');
  EXPECT_EQ(queue.order(), "BABCA");
}

TEST(FairQueue, LeavesPlacesToOthers) {
  const struct {
    std::size_t places;
    std::string_view come, refused;
  } rows[] = {
      {1, "AB", "B"},       {2, "AAB", "A"},       {8, "AAAAAA", "AA"},
      {8, "AAAABBBC", "B"}, {8, "AAAABBCDE", "E"}, {4, "ABCD", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.come);
    Row queue(row.places);
    std::string refused;
    for (const char caller : row.come)
      refused += queue.enter(caller) ? std::string() : std::string(1, caller);
    EXPECT_EQ(refused, row.refused);
  }
}

TEST(FairQueue, ACallersOwnQueueIsItsWhole) {
  Row queue(4, Places::own);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(queue.enter('A'));
  EXPECT_FALSE(queue.enter('A'));
}

TEST(FairQueue, KnowsPlacesAndWhoLeft) {
  Row queue(10);
  for (const char caller : std::string_view("AAB"))
    queue.enter(caller);
  EXPECT_EQ(queue.queue().ahead(1), 0U);
  EXPECT_EQ(queue.queue().ahead(3), 1U);
  EXPECT_EQ(queue.queue().ahead(2), 2U);
  EXPECT_EQ(queue.queue().ahead(99), 3U);
  EXPECT_FALSE(queue.queue().has(99));
  queue.queue().leave(3);
  EXPECT_EQ(queue.queue().ahead(2), 1U);
  queue.queue().leave(3);
  EXPECT_EQ(queue.order(), "AA");
  EXPECT_EQ(queue.queue().first(1), std::vector<Ticket>{1});
}

}  // namespace
}  // namespace bartizan
