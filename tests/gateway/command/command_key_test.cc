#include "gateway/command/command_key.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;  // 2026-11-21T12:00:00Z

TEST(ReadKeyExpiry, TakesDaysAfterToday) {
  const struct {
    std::string_view name, text, want, error;
  } rows[] = {
      {"a day", "2027-01-31", "2027-01-31", ""},
      {"tomorrow", "2026-11-22", "2026-11-22", ""},
      {"days from today", "90d", "2027-02-19", ""},
      {"hours that are a day", "24h", "2026-11-22", ""},
      {"a leap day", "2028-02-29", "2028-02-29", ""},
      {"today", "2026-11-21", "", "2026-11-21 is not after today"},
      {"yesterday", "2026-11-20", "", "2026-11-20 is not after today"},
      {"no time at all", "0d", "", "2026-11-21 is not after today"},
      {"almost a day", "23h", "", "whole days"},
      {"a day and a half", "36h", "", "whole days"},
      {"no such day", "2027-02-29", "", "is no day"},
      {"a moment", "2027-01-31T09:00:00Z", "", "is no day"},
      {"a day in words", "yesterday", "", "is no day"},
      {"a number", "90", "", "is no day"},
      {"too far", "11000d", "", "is no day"},
      {"nothing", "", "", "is no day"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto read = read_key_expiry(row.text, kNow);
    if (row.error.empty()) {
      EXPECT_EQ(read, row.want);
    } else {
      ASSERT_FALSE(read.has_value());
      EXPECT_TRUE(read.error().contains(row.error)) << read.error();
    }
  }
}

TEST(MakeKey, WritesTheDayIntoTheTable) {
  const struct {
    std::string_view name, expires;
    int exit_code;
    bool has_day;
  } rows[] = {
      {"a day", "2999-01-31", kExitDone, true},
      {"without an end", "", kExitDone, false},
      {"a day that is over", "2020-01-31", kExitFailed, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    std::ostringstream results, problems;
    const KeyOptions options{.name = "ann-laptop",
                             .principal = "ann",
                             .expires = std::string(row.expires),
                             .has_terminal = true};
    EXPECT_EQ(make_key(options, {results, problems}), row.exit_code);
    EXPECT_EQ(results.str().ends_with("\nexpires = 2999-01-31\n"), row.has_day) << results.str();
    EXPECT_EQ(problems.str().contains("btz_"), row.exit_code == kExitDone);
  }
}

}  // namespace
}  // namespace bartizan
