#include "gateway/console/provider_sign_ins.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

ProviderSignIns::Clock::time_point at(seconds passed) {
  return ProviderSignIns::Clock::time_point(minutes(100)) + passed;
}

TEST(ProviderSignIns, AreTakenOnceAndInTime) {
  ProviderSignIns all;
  all.add("a", {.door = "door"}, at(seconds(0)));
  EXPECT_FALSE(all.take("b", at(seconds(1))).has_value());
  EXPECT_EQ(all.take("a", at(seconds(1)))->door, "door");
  EXPECT_FALSE(all.take("a", at(seconds(1))).has_value()) << "twice";
  all.add("c", {.door = "door"}, at(seconds(0)));
  EXPECT_FALSE(all.take("c", at(minutes(10))).has_value()) << "too late";
  EXPECT_EQ(all.size(), 0U);
}

TEST(ProviderSignIns, AreBoundedByTheOldest) {
  ProviderSignIns all;
  for (std::size_t i = 0; i <= limits::console_provider_sign_ins_max; ++i) {
    all.add(std::to_string(i), {.door = "door"}, at(seconds(static_cast<std::int64_t>(i))));
  }
  EXPECT_EQ(all.size(), limits::console_provider_sign_ins_max);
  EXPECT_FALSE(all.take("0", at(seconds(70))).has_value());
  EXPECT_TRUE(all.take("1", at(seconds(70))).has_value());
  all.add("last", {.door = "door"}, at(minutes(20)));
  EXPECT_EQ(all.size(), 1U) << "those that are over are gone";
}

}  // namespace
}  // namespace bartizan
