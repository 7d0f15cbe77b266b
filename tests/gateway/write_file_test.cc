#include "gateway/write_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
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
