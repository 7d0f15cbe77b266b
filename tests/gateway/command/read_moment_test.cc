// Moments as command lines name them.
#include "gateway/command/read_moment.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;  // 2026-11-21T12:00:00Z
constexpr std::int64_t kMicros = 1'000'000;

TEST(ReadMoment, TakesDatesTimesAndDurations) {
  struct Case {
    std::string text;
    std::optional<std::int64_t> want;
  };
  const std::vector<Case> cases = {
      {"2026-11-21T12:00:00Z", kNow * kMicros},
      {"2026-11-21 12:00:00Z", kNow * kMicros},
      {"2026-11-21T13:00:00+01:00", kNow * kMicros},
      {"2026-11-21T06:30:00-05:30", kNow * kMicros},
      {"2026-11-21T12:00:00.25Z", kNow * kMicros + 250'000},
      {"2026-11-21T12:00:00.123456789Z", kNow * kMicros + 123'456},
      {"2026-11-21", (kNow - 43'200) * kMicros},
      {"today", (kNow - 43'200) * kMicros},
      {"yesterday", (kNow - 43'200 - 86'400) * kMicros},
      {"24h", (kNow - 86'400) * kMicros},
      {"7d", (kNow - std::int64_t{7} * 86'400) * kMicros},
      {"", std::nullopt},
      {"now", std::nullopt},
      {"tomorrow", std::nullopt},
      {"2026-11-21T12:00:00", std::nullopt},
      {"2026-11-21T12:00Z", std::nullopt},
      {"2026-11-21T24:00:00Z", std::nullopt},
      {"2026-11-21T12:60:00Z", std::nullopt},
      {"2026-02-30", std::nullopt},
      {"2026-13-01", std::nullopt},
      {"26-11-21", std::nullopt},
      {"2026-11-21T12:00:00.Z", std::nullopt},
      {"2026-11-21T12:00:00Zz", std::nullopt},
      {"2026-11-21T12:00:00+1:00", std::nullopt},
      {"-24h", std::nullopt},
  };
  for (const Case& each : cases)
    EXPECT_EQ(read_moment(each.text, kNow), each.want) << each.text;
}

}  // namespace
}  // namespace bartizan
