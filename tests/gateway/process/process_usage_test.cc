#include "gateway/process/process_usage.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

#include "gateway/process/descriptor.h"

#include <fcntl.h>

namespace bartizan {
namespace {

TEST(ProcessUsage, ReadsTheFieldsByTheirPlaces) {
  const std::string_view tail =
      " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 9 18 5555 4096000 777 20 21\n";
  for (const std::string_view name : {"(bartizan)", "(a b)", "(a) S 1 2)"}) {
    const ProcessStat stat = parse_process_stat("42 " + std::string(name) + std::string(tail));
    EXPECT_EQ(stat.threads, 9U) << name;
    EXPECT_EQ(stat.start_ticks, 5555U) << name;
    EXPECT_EQ(stat.virtual_bytes, 4'096'000U) << name;
    EXPECT_EQ(stat.resident_pages, 777U) << name;
  }
  for (const std::string_view line : {"", "42 (bartizan", "42 (bartizan) S 1 2 3"})
    EXPECT_EQ(parse_process_stat(line).threads, 0U) << line;
}

TEST(ProcessUsage, IsThatOfThisProcess) {
  const ProcessUsage before = read_process_usage();
  EXPECT_GT(before.cpu_seconds, 0);
  EXPECT_GT(before.resident_bytes, std::uint64_t{1} << 20);
  EXPECT_GT(before.virtual_bytes, before.resident_bytes);
  EXPECT_GE(before.threads, 1U);
  EXPECT_GT(before.max_fds, before.open_fds);
  const double now = static_cast<double>(std::time(nullptr));
  EXPECT_LT(before.started_at, now + 2);
  EXPECT_GT(before.started_at, now - 3600);
  const Descriptor one(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor two(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(read_process_usage().open_fds, before.open_fds + 2);
}

}  // namespace
}  // namespace bartizan
