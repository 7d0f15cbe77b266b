#include "gateway/process/file_still_written.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace bartizan {
namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;

class UnfinishedFile : public testing::Test {
 protected:
  UnfinishedFile() {
    std::string name = (std::filesystem::temp_directory_path() / "bartizan-XXXXXX").string();
    root_ = mkdtemp(name.data());
    ::signal(SIGIO, SIG_IGN);
  }
  ~UnfinishedFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  std::string written(const std::string& name) const {
    const std::string path = (root_ / name).string();
    std::ofstream(path) << "x = 1\n";
    return path;
  }

  std::filesystem::path root_;
};

TEST_F(UnfinishedFile, IsOneThatSomebodyHasOpenForWriting) {
  const std::string first = written("first.toml");
  const std::string second = written("second.toml");
  const auto now = system_clock::now();
  EXPECT_EQ(find_unfinished_file({first, second}, 0ms, now), std::nullopt);
  const int reader = open(second.c_str(), O_RDONLY);
  EXPECT_EQ(find_unfinished_file({first, second}, 0ms, now), std::nullopt)
      << "a reader is not a writer";
  const int writer = open(second.c_str(), O_WRONLY);
  EXPECT_EQ(find_unfinished_file({first, second}, 0ms, now), second);
  close(writer);
  EXPECT_EQ(find_unfinished_file({first, second}, 0ms, now), std::nullopt);
  close(reader);
}

TEST_F(UnfinishedFile, IsOneThatWasWrittenAMomentAgo) {
  const std::string file = written("main.toml");
  const auto age = std::filesystem::last_write_time(file);
  const auto at = std::chrono::time_point_cast<system_clock::duration>(
      std::filesystem::file_time_type::clock::to_sys(age));
  EXPECT_EQ(find_unfinished_file({file}, 200ms, at + 199ms), file);
  EXPECT_EQ(find_unfinished_file({file}, 200ms, at + 201ms), std::nullopt);
  EXPECT_EQ(find_unfinished_file({file}, 0ms, at), std::nullopt) << "nobody asked for quiet";
  EXPECT_EQ(find_unfinished_file({file}, 200ms, at - 1h), std::nullopt) << "another clock's time";
}

TEST_F(UnfinishedFile, IsNoneThatIsNotThere) {
  EXPECT_EQ(find_unfinished_file({(root_ / "gone.toml").string()}, 1h, system_clock::now()),
            std::nullopt);
}

}  // namespace
}  // namespace bartizan
