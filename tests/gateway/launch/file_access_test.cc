#include "gateway/launch/file_access.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

// What the rules do to a program is in sandbox_test.

TEST(FileRules, NameTheKeyOfAPathThatIsNotThere) {
  const FileLists missing_read{.read = {"/usr", "/bartizan/none"}, .write = {}};
  const FileLists missing_write{.read = {"/usr"}, .write = {"/bartizan/none"}};
  for (const auto& [lists, key] : {std::pair(missing_read, "read"), {missing_write, "write"}}) {
    const Result<Descriptor> rules = make_file_rules(lists);
    ASSERT_FALSE(rules.has_value());
    if (rules.error().detail.contains("Landlock")) GTEST_SKIP() << rules.error().detail;
    EXPECT_EQ(rules.error().detail, std::string("sandbox.") + key +
                                        " names \"/bartizan/none\": No such file or directory "
                                        "(errno 2)");
  }
}

}  // namespace
}  // namespace bartizan
