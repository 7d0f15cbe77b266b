#include "gateway/record/capture_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "policy/learn/capture.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kBegin = run_line("r", 1000) + "\n";

TEST(CaptureFile, IsItsOwnersAlone) {
  const Folder folder;
  const std::string path = folder.name("c.jsonl");
  const auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_FALSE((*file)->began_ms().has_value());
  // Two writers would tear each other's lines.
  const auto second = CaptureFile::open(path);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().detail.find("another process"), std::string::npos);
}

TEST(CaptureFile, RefusesWhatOthersReachOrWhatIsNoCapture) {
  struct Row {
    const char* name;
    std::function<void(const std::string& path)> make;
    const char* why;
  };
  const auto write = [](const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    ::chmod(path.c_str(), 0600);
  };
  const std::vector<Row> rows{
      {"a link", [&](const std::string& path) { fs::create_symlink("elsewhere", path); },
       "symbolic link"},
      {"a folder", [&](const std::string& path) { fs::create_directory(path); },
       "cannot be opened"},
      {"a pipe", [&](const std::string& path) { ::mkfifo(path.c_str(), 0600); },
       "not a regular file"},
      {"open to a group",
       [&](const std::string& path) {
         write(path, kBegin);
         ::chmod(path.c_str(), 0640);
       },
       "open to others"},
      {"with a second name",
       [&](const std::string& path) {
         write(path, kBegin);
         fs::create_hard_link(path, path + ".other");
       },
       "another name"},
      {"something else", [&](const std::string& path) { write(path, "hello\n"); },
       "is not a capture"},
      {"beside something else",
       [&](const std::string& path) { write(older_capture(path), "hello\n"); }, "is not a capture"},
      {"beside a link",
       [&](const std::string& path) { fs::create_symlink("elsewhere", older_capture(path)); },
       "symbolic link"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Folder folder;
    row.make(folder.name("c.jsonl"));
    const auto file = CaptureFile::open(folder.name("c.jsonl"));
    ASSERT_FALSE(file.has_value());
    EXPECT_NE(file.error().detail.find(row.why), std::string::npos) << file.error().detail;
  }
}

TEST(CaptureFile, GoesOnBehindHalfALine) {
  const Folder folder;
  const std::string path = folder.name("c.jsonl");
  std::ofstream(path) << kBegin << "{\"half";
  ::chmod(path.c_str(), 0600);
  const auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ((*file)->began_ms(), 1000);
  EXPECT_TRUE((*file)->append("next\n", 2000).has_value());
  EXPECT_EQ(content(path), kBegin + "{\"half\nnext\n");
  EXPECT_EQ((*file)->size(), content(path).size());
  EXPECT_EQ((*file)->began_ms(), 1000);
}

TEST(CaptureFile, BecomesTheOlderOne) {
  const Folder folder;
  const std::string path = folder.name("c.jsonl");
  const auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE((*file)->append(kBegin, 1000).has_value());
  ASSERT_TRUE((*file)->rotate().has_value());
  EXPECT_EQ(content(older_capture(path)), kBegin);
  EXPECT_EQ(content(path), "");
  EXPECT_EQ((*file)->size(), 0U);
  EXPECT_TRUE((*file)->drop_older(1000).has_value());
  EXPECT_TRUE(fs::exists(older_capture(path)));
  EXPECT_TRUE((*file)->drop_older(1001).has_value());
  EXPECT_FALSE(fs::exists(older_capture(path)));
}

TEST(CaptureFile, IsEmptiedWhereItCannotBePutAside) {
  const Folder folder;
  const std::string path = folder.name("c.jsonl");
  const auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE((*file)->append(kBegin, 1000).has_value());
  fs::create_directory(older_capture(path));
  EXPECT_FALSE((*file)->rotate().has_value());
  EXPECT_EQ(content(path), kBegin);
  ASSERT_TRUE((*file)->empty().has_value());
  EXPECT_EQ(content(path), "");
  EXPECT_EQ((*file)->size(), 0U);
  EXPECT_FALSE((*file)->began_ms().has_value());
}

TEST(CaptureFile, NeedsAFolderThatCanBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const Folder folder;
  const std::string place = folder.name("closed");
  fs::create_directory(place);
  std::ofstream(place + "/c.jsonl") << kBegin;
  ::chmod((place + "/c.jsonl").c_str(), 0600);
  ::chmod(place.c_str(), 0500);
  const auto file = CaptureFile::open(place + "/c.jsonl");
  ::chmod(place.c_str(), 0700);
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(file.error().detail.find("cannot be written"), std::string::npos);
}

TEST(CaptureFile, BeginsAnewWhereItWasTakenAway) {
  const Folder folder;
  const std::string path = folder.name("c.jsonl");
  const auto file = CaptureFile::open(path);
  ASSERT_TRUE(file.has_value());
  ASSERT_TRUE((*file)->append(kBegin, 1000).has_value());
  fs::remove(path);
  EXPECT_FALSE((*file)->is_in_place());
  // What continues another file is no beginning of one.
  EXPECT_TRUE((*file)->append("next\n", 2000).has_value());
  EXPECT_FALSE(fs::exists(path));
  ASSERT_TRUE((*file)->retake().has_value());
  EXPECT_EQ((*file)->size(), 0U);
  ASSERT_TRUE((*file)->append(kBegin, 2000).has_value());
  EXPECT_EQ(content(path), kBegin);
  EXPECT_EQ((*file)->began_ms(), 2000);
}

}  // namespace
}  // namespace bartizan
