#include "gateway/reply/resume_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gateway/reply/resumable_exchange.h"
#include "gateway/reply/resume_buffer.h"
#include "schemas/base/limits.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class KeptShareTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kShare = std::uint64_t{4} << 20;
  const ResumeBuffer::Clock::time_point start_{};
  MemoryBudget memory_{kShare * limits::kept_memory_fraction};
  ResumeBudget share_{memory_};

  /// A stream that has ended, of about that size.
  static EventId keep(ResumeBuffer& session, std::size_t bytes) {
    const std::uint64_t stream = session.begin({}, {});
    session.add(stream, std::string(bytes, 'x'), {}, {});
    session.finish(stream, {});
    return {stream, 0};
  }
};

TEST_F(KeptShareTest, IsAPartOfTheBudgetForEachWorker) {
  EXPECT_EQ(share_.bytes_max(), kShare);
  share_.set_workers(4);
  EXPECT_EQ(share_.bytes_max(), kShare / 4);
  memory_.set_bytes_max(memory_.bytes_max() / 2);
  EXPECT_EQ(share_.bytes_max(), kShare / 8);
}

TEST_F(KeptShareTest, TakesFromWhoKeepsMost) {
  ResumeBuffer few(share_, "few");
  const EventId theirs = keep(few, 100'000);
  std::vector<std::unique_ptr<ResumeBuffer>> many;
  for (int i = 0; i < 50; ++i) {
    many.push_back(std::make_unique<ResumeBuffer>(share_, "many"));
    keep(*many.back(), 200'000);
    EXPECT_LE(share_.bytes(), kShare);
    EXPECT_LE(memory_.used(), kShare);
  }
  EXPECT_TRUE(few.after(theirs).has_value());
  // Whoever comes next finds room as well, as long as somebody keeps more.
  ResumeBuffer next(share_, "next");
  const EventId own = keep(next, 500'000);
  EXPECT_TRUE(next.after(own).has_value());
  EXPECT_TRUE(few.after(theirs).has_value());
}

// Of a call in progress nothing can be dropped.
TEST_F(KeptShareTest, OpenCallsOfOneLeaveRoomForOthers) {
  ResumeBuffer ann(share_, "ann");
  const std::string request(limits::kept_request_bytes_max, 'r');
  while (ann.begin({.request = request}, {}) != 0)
    EXPECT_LE(share_.bytes(), kShare);
  EXPECT_LE(share_.bytes(), kShare / 2);
  EXPECT_GT(share_.bytes(), kShare / 4);
  ResumeBuffer bob(share_, "bob");
  const EventId first = keep(bob, 500'000);
  const EventId second = keep(bob, 500'000);
  keep(bob, 500'000);
  EXPECT_TRUE(bob.after(first).has_value());
  // Bob makes room: ann keeps most, and has nothing to drop.
  ResumeBuffer cid(share_, "cid");
  const EventId own = keep(cid, 800'000);
  EXPECT_TRUE(cid.after(own).has_value());
  EXPECT_FALSE(bob.after(first).has_value());
  EXPECT_TRUE(bob.after(second).has_value());
}

TEST_F(KeptShareTest, TakesNothingFromWhoKeepsLess) {
  ResumeBuffer bob(share_, "bob");
  ResumeBuffer cid(share_, "cid");
  const EventId bobs = keep(bob, 1'300'000);
  const EventId cids = keep(cid, 1'200'000);
  ResumeBuffer ann(share_, "ann");
  while (ann.begin({.request = std::string(limits::kept_request_bytes_max, 'r')}, {}) != 0)
    EXPECT_LE(share_.bytes(), kShare);
  EXPECT_GT(ann.bytes(), bob.bytes());
  EXPECT_LT(ann.bytes(), share_.principal_bytes_max() - 100'000) << "the whole share is full";
  EXPECT_TRUE(bob.after(bobs).has_value());
  EXPECT_TRUE(cid.after(cids).has_value());
}

TEST_F(KeptShareTest, APrincipalHasABoundOfItsOwn) {
  memory_.set_bytes_max(limits::kept_principal_bytes_max * 8);
  ResumeBuffer one(share_, "ann");
  ResumeBuffer other(share_, "ann");
  const EventId first = keep(one, 3'000'000);
  keep(other, 2'000'000);
  keep(other, 2'000'000);
  EXPECT_TRUE(one.after(first).has_value());
  keep(other, 2'000'000);
  EXPECT_TRUE(one.after(first).has_value()) << "the session that keeps most makes room";
  EXPECT_LE(one.bytes() + other.bytes(), limits::kept_principal_bytes_max);
  EXPECT_EQ(one.bytes() + other.bytes(), share_.bytes());
}

TEST_F(KeptShareTest, GivesBackWhatSessionsLeave) {
  {
    ResumeBuffer ann(share_, "ann");
    ResumeBuffer bob(share_, "bob");
    keep(ann, 1000);
    keep(bob, 1000);
    EXPECT_GT(memory_.used(), 2000U);
  }
  EXPECT_EQ(share_.bytes(), 0U);
  EXPECT_EQ(memory_.used(), 0U);
}

TEST_F(KeptShareTest, AnEventThatWaitsToBeWrittenStaysReserved) {
  ResumeBuffer ann(share_, "ann");
  const EventId stream = keep(ann, 1000);
  const auto waiting = ann.after(stream)->events;
  ann.close();
  EXPECT_EQ(share_.bytes(), 0U);
  EXPECT_GT(memory_.used(), 1000U);
}

TEST(ResumptionLimitsTest, BoundReturnsBytesAndWhatIsInProgress) {
  const std::chrono::steady_clock::time_point now{seconds(100)};
  const struct {
    std::string_view name;
    std::size_t returns;
    std::uint64_t bytes;
    bool ends_before_next;
    bool want;
  } cases[] = {
      {"as often as it may", limits::resumptions_per_second - 1, 1, true, true},
      {"too often", limits::resumptions_per_second, 1, true, false},
      {"a little less than it may", 1, limits::resumed_bytes_per_second - 1, true, true},
      {"too much", 1, limits::resumed_bytes_per_second, true, false},
      {"all at once", limits::resumptions_in_progress_max - 1, 1, false, true},
      {"too many at once", limits::resumptions_in_progress_max, 1, false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ResumptionLimits returns;
    std::vector<ResumptionLimits::Place> places;
    for (std::size_t i = 0; i < c.returns; ++i) {
      auto place = returns.take("ann", c.bytes, now);
      EXPECT_NE(place, nullptr);
      if (!c.ends_before_next) places.push_back(std::move(place));
    }
    EXPECT_EQ(returns.take("ann", c.bytes, now + milliseconds(999)) != nullptr, c.want);
    EXPECT_NE(returns.take("bob", c.bytes, now), nullptr);
    const bool is_full = places.size() == limits::resumptions_in_progress_max;
    EXPECT_EQ(returns.take("ann", c.bytes, now + seconds(1)) != nullptr, !is_full);
    places.clear();
    EXPECT_NE(returns.take("ann", c.bytes, now + seconds(2)), nullptr);
  }
}

TEST(ResumptionLimitsTest, ForgetsWhoCameBackLongAgo) {
  const std::chrono::steady_clock::time_point now{seconds(100)};
  ResumptionLimits returns;
  const auto held = returns.take("held", 1, now);
  for (std::size_t i = 1; i < ResumptionLimits::kPrincipals; ++i)
    EXPECT_NE(returns.take("p" + std::to_string(i), 1, now), nullptr);
  EXPECT_NE(returns.take("in the same second", 1, now), nullptr);
  EXPECT_EQ(returns.size(), ResumptionLimits::kPrincipals + 1) << "nobody's count is lost";
  EXPECT_NE(returns.take("later", 1, now + seconds(1)), nullptr);
  EXPECT_EQ(returns.size(), 2U) << "and who has one in progress is kept";
}

}  // namespace
}  // namespace bartizan
