// Which record a process takes where others run.
#include "gateway/control/beside.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

/// Records in a folder of their own. Locks of one process exclude each other, as its descriptors
/// do.
class FreeRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "bartizan-beside-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string record(unsigned number) const {
    return folder_ / ("files-" + std::to_string(number) + ".jsonl");
  }
  /// As a process that writes the record.
  void take(unsigned number) {
    Descriptor file(::open(record(number).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(file.get(), LOCK_EX | LOCK_NB), 0);
    taken_.insert_or_assign(number, std::move(file));
  }

  std::filesystem::path folder_;
  std::map<unsigned, Descriptor> taken_;
};

TEST_F(FreeRecordTest, IsTheFirstThatNobodyWrites) {
  const struct {
    std::string_view name;
    std::vector<unsigned> in_use;
    std::vector<unsigned> taken_meanwhile;  ///< While it is tried for the first time.
    std::vector<unsigned> want;             ///< The numbers that were tried.
  } rows[] = {
      {"the first", {}, {}, {1, 1, 1}},
      {"the second", {1}, {}, {2, 2, 2}},
      {"one between", {1, 3}, {}, {2, 2, 2}},
      {"another process is faster", {}, {1}, {1, 2, 2, 2}},
      {"another process is faster twice", {1}, {2, 3}, {2, 3, 4, 4, 4}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    taken_.clear();
    for (const unsigned number : row.in_use)
      take(number);
    std::vector<unsigned> tried;
    const std::string why = run_with_free_record(
        [this](unsigned number) { return record(number); },
        [&](unsigned number) {
          tried.push_back(number);
          const bool is_faster =
              std::ranges::find(row.taken_meanwhile, number) != row.taken_meanwhile.end();
          if (is_faster) take(number);
          return Error{.detail = "the disk is full"};
        });
    EXPECT_EQ(tried, row.want);
    EXPECT_EQ(why, "the disk is full");
  }
  taken_.clear();
  for (unsigned number = 1; number <= limits::numbered_records_max; ++number)
    take(number);
  const auto never = [](unsigned) {
    ADD_FAILURE() << "every record is in use";
    return Error{};
  };
  EXPECT_EQ(run_with_free_record([this](unsigned number) { return record(number); }, never),
            "too many run at once: name a record with --record");
}

}  // namespace
}  // namespace bartizan
