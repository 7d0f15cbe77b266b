#include "gateway/record/refusal_quota.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace bartizan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const RefusalQuota::Clock::time_point kBegin{std::chrono::hours(1)};

TEST(Refusals, AdmitsTheFirstOfAnAddressSingly) {
  RefusalQuota refusals;
  for (std::uint32_t i = 0; i < limits::anonymous_refusals_per_minute; ++i)
    EXPECT_TRUE(refusals.admit_address("192.0.2.1", kBegin));
  EXPECT_FALSE(refusals.admit_address("192.0.2.1", kBegin));
  EXPECT_FALSE(refusals.admit_address("192.0.2.1", kBegin + seconds(59)));
  EXPECT_TRUE(refusals.admit_address("192.0.2.2", kBegin));

  EXPECT_TRUE(refusals.take_summaries(kBegin + milliseconds(59'999)).empty());
  const auto summaries = refusals.take_summaries(kBegin + seconds(60));
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].who, "192.0.2.1");
  EXPECT_EQ(summaries[0].count, 2U);
  EXPECT_FALSE(summaries[0].is_principal);
  EXPECT_TRUE(refusals.take_summaries(kBegin + seconds(120)).empty());
  EXPECT_TRUE(refusals.admit_address("192.0.2.1", kBegin + seconds(60)));
}

TEST(Refusals, AddressesBeyondTheBoundShareOneCount) {
  RefusalQuota refusals;
  for (std::size_t i = 0; i < limits::anonymous_addresses_max; ++i)
    ASSERT_TRUE(refusals.admit_address("host" + std::to_string(i), kBegin));
  EXPECT_FALSE(refusals.admit_address("new1", kBegin));
  EXPECT_FALSE(refusals.admit_address("new2", kBegin));
  EXPECT_TRUE(refusals.admit_address("host0", kBegin));

  const auto summaries = refusals.take_summaries(kBegin + seconds(1));
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].who, "others");
  EXPECT_EQ(summaries[0].count, 2U);
  EXPECT_FALSE(refusals.admit_address("new1", kBegin + seconds(2)));
  EXPECT_EQ(refusals.take_summaries(kBegin + seconds(60)).size(), 1U);
  EXPECT_TRUE(refusals.admit_address("new1", kBegin + seconds(60)));
}

void charge(RefusalQuota& refusals, std::string_view principal, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i)
    static_cast<void>(refusals.take(principal, kBegin));
}

TEST(Refusals, SpendsAndRefillsTheBudgetOfAPrincipal) {
  const struct {
    std::string_view name;
    milliseconds later;
    std::uint32_t charged;
    bool spent;
  } cases[] = {
      {"never refused", milliseconds(0), 0, false},
      {"one left", milliseconds(0), limits::refusals_burst - 1, false},
      {"none left", milliseconds(0), limits::refusals_burst, true},
      {"almost one again", milliseconds(49), limits::refusals_burst, true},
      {"one again", milliseconds(51), limits::refusals_burst, false},
      // What is refused without having been asked for again must not become a debt.
      {"charged far beyond", milliseconds(0), 100 * limits::refusals_burst, true},
      {"charged far beyond, one again", milliseconds(51), 100 * limits::refusals_burst, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RefusalQuota refusals;
    charge(refusals, "ann", c.charged);
    EXPECT_EQ(refusals.is_spent("ann", kBegin + c.later), c.spent);
    EXPECT_FALSE(refusals.is_spent("bob", kBegin + c.later));
  }
}

TEST(Refusals, RefillsNoFurtherThanTheBurst) {
  RefusalQuota refusals;
  charge(refusals, "ann", 1);
  const auto later = kBegin + std::chrono::hours(5);
  for (std::uint32_t i = 0; i < limits::refusals_burst; ++i) {
    EXPECT_FALSE(refusals.is_spent("ann", later));
    EXPECT_TRUE(refusals.take("ann", later));
  }
  EXPECT_TRUE(refusals.is_spent("ann", later));
}

// Calls that were judged at once all found room before the first was refused.
TEST(Refusals, RecordsNoMoreThanTheBurstOfCallsThatAreRefusedAtOnce) {
  RefusalQuota refusals;
  std::uint32_t recorded = 0;
  for (std::uint32_t i = 0; i < 3 * limits::refusals_burst; ++i) {
    if (refusals.take("ann", kBegin)) ++recorded;
  }
  EXPECT_EQ(recorded, limits::refusals_burst);
  const auto summaries = refusals.take_summaries(kBegin);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].count, 2 * limits::refusals_burst);
}

TEST(Refusals, SumsUpWhatWasNotJudged) {
  RefusalQuota refusals;
  charge(refusals, "ann", limits::refusals_burst);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(refusals.is_spent("ann", kBegin));
  const auto summaries = refusals.take_summaries(kBegin);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].who, "ann");
  EXPECT_EQ(summaries[0].count, 3U);
  EXPECT_TRUE(summaries[0].is_principal);
  EXPECT_TRUE(refusals.take_summaries(kBegin).empty());
}

TEST(Refusals, CountsWhatSummariesOfPrincipalsCount) {
  const struct {
    std::string_view name;
    std::uint32_t refused;    ///< Of ann, by rules.
    std::uint32_t unjudged;   ///< Of ann, afterwards.
    std::uint32_t strangers;  ///< Of one address.
    std::uint64_t want;
  } cases[] = {
      {"nothing", 0, 0, 0, 0},
      {"all that may be refused", limits::refusals_burst, 0, 0, 0},
      {"one more", limits::refusals_burst + 1, 0, 0, 1},
      {"not judged any more", limits::refusals_burst, 3, 0, 3},
      {"both", limits::refusals_burst + 2, 3, 0, 5},
      {"strangers", 0, 0, 100, 0},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RefusalQuota refusals;
    charge(refusals, "ann", c.refused);
    for (std::uint32_t i = 0; i < c.unjudged; ++i)
      EXPECT_TRUE(refusals.is_spent("ann", kBegin));
    for (std::uint32_t i = 0; i < c.strangers; ++i)
      static_cast<void>(refusals.admit_address("192.0.2.1", kBegin));
    EXPECT_EQ(refusals.throttled(), c.want);
    std::uint64_t summed = 0;
    for (const auto& summary : refusals.take_summaries(kBegin))
      summed += summary.is_principal ? summary.count : 0;
    EXPECT_EQ(summed, c.want);
    EXPECT_EQ(refusals.throttled(), c.want) << "a counter never goes down";
  }
}

TEST(Refusals, ForgetsAPrincipalWhoseBudgetIsFullAgain) {
  RefusalQuota refusals;
  charge(refusals, "ann", 1);
  charge(refusals, "bob", limits::refusals_burst);
  EXPECT_EQ(refusals.principals(), 2U);
  static_cast<void>(refusals.take_summaries(kBegin));
  EXPECT_EQ(refusals.principals(), 2U) << "neither is full yet";
  static_cast<void>(refusals.take_summaries(kBegin + seconds(1)));
  EXPECT_EQ(refusals.principals(), 1U);
  EXPECT_FALSE(refusals.is_spent("bob", kBegin + seconds(1)));
  static_cast<void>(refusals.take_summaries(kBegin + seconds(10)));
  EXPECT_EQ(refusals.principals(), 0U);
}

}  // namespace
}  // namespace bartizan
