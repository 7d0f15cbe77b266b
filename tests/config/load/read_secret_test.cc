#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "config/load/load_config.h"

namespace bartizan {
namespace {

using Kind = SecretReference::Kind;

TEST(ReadSecret, JudgesTheFile) {
  struct Row {
    std::string_view name;
    std::string content;
    mode_t mode;
    std::string_view secret;  ///< Empty: refused, and …
    std::string_view reason;  ///< … the error says this.
  };
  const std::string large(64 * 1024 + 1, 'h');
  const Row rows[] = {
      {"owner only", "hunter2", 0600, "hunter2", ""},
      {"group may read", "hunter2\n", 0640, "hunter2", ""},
      {"one newline is removed", "hunter2\n\n", 0600, "hunter2\n", ""},
      {"everyone may read", "hunter2", 0604, "", "open to everyone"},
      {"everyone may write", "hunter2", 0602, "", "open to everyone"},
      {"everyone may execute", "hunter2", 0601, "", "open to everyone"},
      {"empty", "\n", 0600, "", "is empty"},
      {"too large", large, 0600, "", "larger than 64 KiB"},
  };
  const std::string path = testing::TempDir() + "secret-" + std::to_string(::getpid());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    std::ofstream(path, std::ios::binary) << row.content;
    ASSERT_EQ(::chmod(path.c_str(), row.mode), 0);
    const Result<SecretText> read = read_secret({.kind = Kind::file, .name = path});
    EXPECT_EQ(read.value_or(SecretText()).view(), row.secret);
    if (!read) {
      EXPECT_EQ(read.error().code, ErrorCode::config_invalid);
      EXPECT_TRUE(read.error().detail.contains(row.reason)) << read.error().detail;
      EXPECT_FALSE(read.error().detail.contains("hunter"));
    }
    std::filesystem::remove(path);
  }
}

TEST(ReadSecret, RefusesWhatIsNoFile) {
  const std::string fifo = testing::TempDir() + "fifo-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, testing::TempDir(), std::string("/nonexistent/secret")}) {
    EXPECT_FALSE(read_secret({.kind = Kind::file, .name = path}).has_value()) << path;
  }
  std::filesystem::remove(fifo);
  EXPECT_FALSE(read_secret({}).has_value());
}

TEST(ReadSecret, ReadsTheEnvironment) {
  ASSERT_EQ(::setenv("BARTIZAN_TEST_SECRET", "hunter2", 1), 0);
  const Result<SecretText> set =
      read_secret({.kind = Kind::environment, .name = "BARTIZAN_TEST_SECRET"});
  EXPECT_EQ(set.value_or(SecretText()).view(), "hunter2");
  ASSERT_EQ(::unsetenv("BARTIZAN_TEST_SECRET"), 0);
  const auto unset = read_secret({.kind = Kind::environment, .name = "BARTIZAN_TEST_SECRET"});
  ASSERT_FALSE(unset.has_value());
  EXPECT_TRUE(unset.error().detail.contains("is not set")) << unset.error().detail;
}

}  // namespace
}  // namespace bartizan
