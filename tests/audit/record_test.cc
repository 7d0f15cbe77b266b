#include "audit/record.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace bartizan {
namespace {

TEST(DecisionId, IsTheExampleOfTheRfc) {
  // RFC 9562, appendix A.6: 017F22E2-79B0-7CC3-98C4-DC0C0C07398F.
  const std::array<std::uint8_t, 10> random = {0x0C, 0xC3, 0x18, 0xC4, 0xDC,
                                               0x0C, 0x0C, 0x07, 0x39, 0x8F};
  EXPECT_EQ(make_decision_id(0x017F22E279B0, random).view(),
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(DecisionId, OverwritesVersionAndVariant) {
  std::array<std::uint8_t, 10> random;
  random.fill(0xFF);
  EXPECT_EQ(make_decision_id(0, random).view(), "00000000-0000-7fff-bfff-ffffffffffff");
}

TEST(DecisionId, IsOrderedByTime) {
  std::array<std::uint8_t, 10> high;
  high.fill(0xFF);
  EXPECT_LT(make_decision_id(1'795'262'400'000, high).view(),
            make_decision_id(1'795'262'400'001, {}).view());
}

TEST(DecisionId, IsEmptyUntilMade) {
  EXPECT_TRUE(DecisionId{}.empty());
  EXPECT_FALSE(make_decision_id(0, {}).empty());
}

TEST(RecordText, NamesEveryKindAndOutcomeOnce) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(kRecordKindLast); ++i) {
    names.push_back(text(static_cast<RecordKind>(i)));
  }
  for (int i = 0; i <= static_cast<int>(Outcome::cancelled); ++i) {
    names.push_back(text(static_cast<Outcome>(i)));
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_EQ(std::ranges::find(names, "unknown"), names.end());
}

}  // namespace
}  // namespace bartizan
