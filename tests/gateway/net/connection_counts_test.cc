#include "gateway/net/connection_counts.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

/// How many connections an address gets when it takes all it can.
std::uint32_t take_all(ConnectionCounts& counts, const std::string& address) {
  std::uint32_t taken = 0;
  while (counts.take(address))
    ++taken;
  return taken;
}

TEST(ConnectionCounts, GivesOneAddressItsMostAndNoMore) {
  ConnectionCounts counts;
  EXPECT_EQ(take_all(counts, "10.0.0.1"), limits::connections_per_address_max);
  EXPECT_EQ(counts.total(), limits::connections_per_address_max);
  EXPECT_TRUE(counts.take("10.0.0.2"));
  counts.give_back("10.0.0.1");
  EXPECT_TRUE(counts.take("10.0.0.1"));
  EXPECT_FALSE(counts.take("10.0.0.1"));
}

TEST(ConnectionCounts, GivesLessTheFewerAreLeft) {
  ConnectionCounts counts;
  counts.bound(100);
  EXPECT_EQ(take_all(counts, "10.0.0.1"), 20U);  // A quarter of the 80 that are then left.
  EXPECT_EQ(take_all(counts, "10.0.0.2"), 16U);
  EXPECT_EQ(take_all(counts, "10.0.0.3"), 13U);
  // Whoever has more than its part of what is left keeps it, and gets no more.
  EXPECT_FALSE(counts.take("10.0.0.1"));
  for (int address = 4; address < 14; ++address)
    take_all(counts, "10.0.0." + std::to_string(address));
  EXPECT_LT(counts.total(), 100U);
  EXPECT_TRUE(counts.take("192.0.2.1")) << "somebody new still finds a place";
}

TEST(ConnectionCounts, IsNeverAboveItsBound) {
  ConnectionCounts counts;
  counts.bound(10);
  for (int address = 0; address < 20; ++address)
    take_all(counts, std::to_string(address));
  EXPECT_EQ(counts.total(), 10U);
  EXPECT_FALSE(counts.take("another"));
  counts.give_back("0");
  EXPECT_TRUE(counts.take("another"));
  counts.give_back("nobody");
  EXPECT_EQ(counts.total(), 10U);
}

TEST(ConnectionCounts, LeavesDescriptorsToOthers) {
  EXPECT_EQ(connections_for(64), 48U);
  EXPECT_EQ(connections_for(99), 74U);
  EXPECT_EQ(connections_for(400), 300U);
  EXPECT_EQ(connections_for(1024), 768U);
  EXPECT_EQ(connections_for(1U << 20), limits::connections_max);
  EXPECT_EQ(connections_for(~0ULL), limits::connections_max);
}

}  // namespace
}  // namespace bartizan
