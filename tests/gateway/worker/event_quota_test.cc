#include "gateway/worker/event_quota.h"

#include <gtest/gtest.h>

#include <string_view>

namespace bartizan {
namespace {

TEST(EventQuota, AdmitsSomeAndCountsTheRest) {
  const struct {
    std::string_view name;
    std::uint32_t quota;
    int events;
    int admitted;
    std::uint64_t beyond;
  } cases[] = {
      {"nothing happens", 2, 0, 0, 0},      {"fewer than the quota", 2, 1, 1, 0},
      {"as many as the quota", 2, 2, 2, 0}, {"one more", 2, 3, 2, 1},
      {"a flood", 1, 1000, 1, 999},         {"no quota", 0, 3, 0, 3},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EventQuota quota(c.quota);
    // Twice: a window leaves nothing behind for the next.
    for (int window = 0; window < 2; ++window) {
      int admitted = 0;
      for (int event = 0; event < c.events; ++event)
        admitted += quota.admit() ? 1 : 0;
      EXPECT_EQ(admitted, c.admitted);
      EXPECT_EQ(quota.end_window(), c.beyond);
    }
    EXPECT_EQ(quota.end_window(), 0U);
  }
}

}  // namespace
}  // namespace bartizan
