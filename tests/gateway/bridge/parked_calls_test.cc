#include "gateway/bridge/parked_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bartizan {
namespace {

const ParkedCalls::Owner kAnn{.principal = "ann", .instance = "a", .places = 1000};
const ParkedCalls::Owner kBob{.principal = "bob", .instance = "a", .places = 1000};

TEST(ParkedCalls, AreFoundOnceByANameThatNobodyGuesses) {
  Random random;
  ParkedCalls parked;
  const std::string one = parked.park(nullptr, kAnn, random);
  const std::string other = parked.park(nullptr, kAnn, random);
  EXPECT_EQ(one.size(), 22U);
  EXPECT_NE(one, other);
  EXPECT_EQ(parked.size(), 2U);
  parked.take(one);
  EXPECT_EQ(parked.size(), 1U);
  parked.take(one);
  parked.take("");
  parked.take(one + "A");
  EXPECT_EQ(parked.size(), 1U) << "nothing else is taken";
}

TEST(ParkedCalls, AreBoundedForEachPrincipal) {
  Random random;
  ParkedCalls parked;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < limits::parked_of_principal_max; ++i)
    names.push_back(parked.park(nullptr, kAnn, random));
  EXPECT_FALSE(names.back().empty());
  EXPECT_EQ(parked.park(nullptr, kAnn, random), "") << "one too many";
  EXPECT_NE(parked.park(nullptr, kBob, random), "") << "another's";
  parked.take(names.front());
  EXPECT_NE(parked.park(nullptr, kAnn, random), "") << "there is room again";
}

TEST(ParkedCalls, LeaveHalfOfAnInstanceToOthers) {
  Random random;
  ParkedCalls parked;
  const auto park = [&](std::string principal, std::string instance) {
    return parked.park(
        nullptr, {.principal = std::move(principal), .instance = std::move(instance), .places = 4},
        random);
  };
  EXPECT_NE(park("ann", "a"), "");
  EXPECT_NE(park("bob", "a"), "");
  EXPECT_EQ(park("cat", "a"), "") << "two of four places are taken";
  EXPECT_NE(park("cat", "b"), "") << "another instance";
  EXPECT_NE(parked.park(nullptr, {.principal = "ann", .instance = "c", .places = 1}, random), "")
      << "one may always wait";
}

TEST(BridgedLogLevels, RiseToWhatTheMostTalkativeClientWants) {
  BridgedLogLevels levels;
  const InstanceKey one{.server = "a", .owner = "", .number = 0};
  const InstanceKey other{.server = "b", .owner = "", .number = 0};
  EXPECT_TRUE(levels.raise(one, "warning"));
  EXPECT_FALSE(levels.raise(one, "warning")) << "said already";
  EXPECT_FALSE(levels.raise(one, "error")) << "it logs more than that";
  EXPECT_TRUE(levels.raise(one, "debug"));
  EXPECT_TRUE(levels.raise(other, "error")) << "another instance";
  levels.forget(one);
  EXPECT_TRUE(levels.raise(one, "emergency")) << "begun anew";
}

}  // namespace
}  // namespace bartizan
