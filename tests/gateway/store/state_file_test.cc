#include "gateway/store/state_file.h"

#include <gtest/gtest.h>

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "gateway/store/store.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, std::string_view text, mode_t mode = 0600) {
  std::ofstream(path, std::ios::binary) << text;
  ::chmod(path.c_str(), mode);
}

void make_state(const std::string& path) {
  ASSERT_TRUE(Store::open(path).has_value());
}

/// A database of another program, as `sqlite3` makes it.
void make_other(const std::string& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  ::chmod(path.c_str(), 0600);
}

TEST(StateFile, IsItsOwnersAloneWithAllThatStandsBesideIt) {
  const Folder folder;
  const std::string path = folder.name("state.db");
  const mode_t mask = ::umask(0);
  const auto store = Store::open(path);
  ::umask(mask);
  ASSERT_TRUE(store.has_value()) << store.error().detail;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.name(""))) {
    if (!entry.path().filename().string().starts_with("state.db")) continue;
    ++files;
    EXPECT_EQ(fs::status(entry.path()).permissions(), fs::perms(0600)) << entry.path();
  }
  EXPECT_EQ(files, 2U) << "the file, and what is written ahead; nothing is shared in memory";
  // Two processes would not know what the other one has changed.
  const auto second = Store::open(path);
  ASSERT_FALSE(second.has_value());
  EXPECT_TRUE(second.error().detail.contains("is used by another process"))
      << second.error().detail;
  (*store)->close();
  EXPECT_FALSE(fs::exists(path + "-wal")) << "what was written ahead is in the file";
  EXPECT_TRUE(Store::open(path).has_value());
}

TEST(StateFile, RefusesWhatOthersReachOrWhatIsNotOurs) {
  struct Row {
    const char* name;
    std::function<void(const std::string& path)> make;
    const char* why;
  };
  const std::vector<Row> rows{
      {"a link", [](const std::string& path) { fs::create_symlink("elsewhere", path); },
       "is a symbolic link, which is not followed"},
      {"a folder", [](const std::string& path) { fs::create_directory(path); }, "is a folder"},
      {"a pipe", [](const std::string& path) { ::mkfifo(path.c_str(), 0600); },
       "is not a regular file"},
      {"open to a group",
       [](const std::string& path) {
         make_state(path);
         ::chmod(path.c_str(), 0640);
       },
       "is open to others: chmod 600"},
      {"open to everyone who may not read it",
       [](const std::string& path) {
         make_state(path);
         ::chmod(path.c_str(), 0602);
       },
       "is open to others: chmod 600"},
      {"with a second name",
       [](const std::string& path) {
         make_state(path);
         fs::create_hard_link(path, path + ".other");
       },
       "has another name"},
      {"a text", [](const std::string& path) { write(path, "hello\n"); },
       "is not a SQLite database, and nothing is written to it"},
      {"a record",
       [](const std::string& path) {
         write(path, R"({"v":1,"kind":"start")" + std::string(500, ' '));
       },
       "is not a SQLite database, and nothing is written to it"},
      {"a database of another program",
       [](const std::string& path) { make_other(path, "CREATE TABLE notes (text TEXT)"); },
       "is the database of another program, and nothing is written to it"},
      {"a database of another program that has a name",
       [](const std::string& path) { make_other(path, "PRAGMA application_id = 17"); },
       "is the database of another program, and nothing is written to it"},
      {"beside a part that others may read",
       [](const std::string& path) {
         make_state(path);
         write(path + "-wal", "", 0644);
       },
       "-wal is open to others: chmod 600"},
      {"beside a link",
       [](const std::string& path) {
         make_state(path);
         fs::create_symlink("elsewhere", path + "-journal");
       },
       "-journal is a symbolic link, which is not followed"},
      {"gone, beside what was written ahead",
       [](const std::string& path) { write(path + "-wal", "changes"); }, "is gone, though"},
      {"empty, beside what was written ahead",
       [](const std::string& path) {
         write(path, "");
         write(path + "-wal", "changes");
       },
       "is empty, though"},
      {"in no folder",
       [](const std::string& path) { fs::remove_all(fs::path(path).parent_path()); },
       "has no folder: make it"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Folder folder;
    const std::string path = folder.name("policy.d/state.db");
    row.make(path);
    const std::string before = fs::is_regular_file(path) ? content(path) : "";
    const auto opened = StateFile::open(path);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, ErrorCode::io_failed);
    EXPECT_TRUE(opened.error().detail.starts_with("state file " + path)) << opened.error().detail;
    EXPECT_TRUE(opened.error().detail.contains(row.why)) << opened.error().detail;
    if (fs::is_regular_file(path)) EXPECT_EQ(content(path), before) << "nothing is changed";
  }
}

TEST(StateFile, IsTakenWhereItIsEmptyOrItsFolderIsALink) {
  const Folder folder;
  write(folder.name("policy.d/state.db"), "");
  fs::create_directory_symlink("policy.d", folder.name("linked"));
  EXPECT_TRUE(Store::open(folder.name("linked/state.db")).has_value());
  EXPECT_TRUE(StateFile::open(folder.name("policy.d/state.db")).has_value()) << "it is ours now";
}

}  // namespace
}  // namespace bartizan
