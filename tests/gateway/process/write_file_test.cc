#include "gateway/process/write_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace bartizan {
namespace {

namespace fs = std::filesystem;

class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "bartizan-write-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(WriteFileTest, PutsItInThePlaceOfWhatIsThere) {
  EXPECT_FALSE(write_file(folder_ / "a", "one"));
  EXPECT_FALSE(write_file(folder_ / "a", "two"));
  EXPECT_EQ(text_of("a"), "two");
  EXPECT_EQ(files(), 1) << "no draft is left";
}

TEST_F(WriteFileTest, ReplacesOnlyWhatWasRead) {
  const fs::path file = folder_ / "a";
  EXPECT_FALSE(write_file(folder_ / "like", "whose readers may read it"));
  const auto replace = [&](const fs::path& path, const std::optional<std::string>& before,
                           std::string_view text) {
    return replace_file(path, before, text, folder_ / "like");
  };
  EXPECT_EQ(replace(file, "one", "two"), std::errc::operation_canceled) << "nothing there";
  EXPECT_FALSE(replace(file, std::nullopt, "one"));
  EXPECT_EQ(replace(file, std::nullopt, "two"), std::errc::operation_canceled);
  EXPECT_EQ(replace(file, "on", "two"), std::errc::operation_canceled);
  EXPECT_EQ(text_of("a"), "one");
  fs::create_symlink("a", folder_ / "link");
  EXPECT_FALSE(replace(folder_ / "link", "one", "three"));
  EXPECT_EQ(text_of("a"), "three");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  fs::create_symlink("nothing", folder_ / "nowhere");
  EXPECT_EQ(replace(folder_ / "nowhere", std::nullopt, "two"),
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(files(), 4) << "no draft is left";
}

TEST_F(WriteFileTest, KeepsWhoMayReadIt) {
  using enum fs::perms;
  const fs::path file = folder_ / "a";
  const fs::path like = folder_ / "like";
  EXPECT_FALSE(write_file(like, "whose readers may read it"));
  fs::permissions(like, owner_all | group_read);
  EXPECT_FALSE(replace_file(file, std::nullopt, "one", like));
  EXPECT_EQ(fs::status(file).permissions(), owner_read | owner_write | group_read);
  fs::permissions(file, owner_read | owner_write | group_read | others_read);
  EXPECT_FALSE(replace_file(file, "one", "two", like));
  EXPECT_EQ(fs::status(file).permissions(), owner_read | owner_write | group_read | others_read)
      << "its mode is the operator's affair";
  if (::geteuid() != 0) return;  // Others cannot give files away.
  constexpr ::gid_t kService = 4711;
  struct ::stat its = {};
  ASSERT_EQ(::chown(like.c_str(), 0, kService), 0);
  EXPECT_FALSE(replace_file(folder_ / "new", std::nullopt, "one", like));
  ASSERT_EQ(::stat((folder_ / "new").c_str(), &its), 0);
  EXPECT_EQ(its.st_gid, kService) << "a service reads its configuration by its group";
  ASSERT_EQ(::chown(file.c_str(), kService, kService), 0);
  EXPECT_FALSE(replace_file(file, "two", "three", like));
  ASSERT_EQ(::stat(file.c_str(), &its), 0);
  EXPECT_EQ(its.st_uid, kService);
}

TEST_F(WriteFileTest, ReplacesNothingWhereItIsToBeNew) {
  EXPECT_FALSE(write_new_file(folder_ / "a", "one"));
  EXPECT_EQ(write_new_file(folder_ / "a", "two"), std::errc::file_exists);
  EXPECT_EQ(text_of("a"), "one");
  fs::create_symlink("nothing", folder_ / "link");
  EXPECT_EQ(write_new_file(folder_ / "link", "two"), std::errc::file_exists);
  EXPECT_EQ(write_new_file(folder_ / "none" / "a", "two"), std::errc::no_such_file_or_directory);
  EXPECT_EQ(files(), 2) << "no draft is left";
}

// Where a file can have no second name.
TEST_F(WriteFileTest, MovesToANameThatNothingHas) {
  EXPECT_FALSE(write_new_file(folder_ / "draft", "new"));
  EXPECT_FALSE(write_new_file(folder_ / "old", "old"));
  EXPECT_EQ(move_to_free_name(folder_ / "draft", folder_ / "old"), std::errc::file_exists);
  EXPECT_EQ(text_of("old"), "old");
  fs::create_symlink("nothing", folder_ / "link");
  EXPECT_EQ(move_to_free_name(folder_ / "draft", folder_ / "link"), std::errc::file_exists);
  EXPECT_FALSE(move_to_free_name(folder_ / "draft", folder_ / "free"));
  EXPECT_EQ(text_of("free"), "new");
  EXPECT_FALSE(fs::exists(folder_ / "draft"));
}

}  // namespace
}  // namespace bartizan
