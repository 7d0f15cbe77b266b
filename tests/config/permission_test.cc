#include "config/permission.h"

#include <gtest/gtest.h>

#include "config/load/load_config.h"
#include "tests/config/load_errors.h"

namespace bartizan {
namespace {

TEST(Permission, IsSegmentsBetweenColons) {
  for (const std::string_view good : {"admin", "read:filesystem", "a:b-c:d_e.f:1"}) {
    EXPECT_TRUE(is_permission(good)) << good;
    EXPECT_TRUE(is_permission_grant(good)) << good;
  }
  for (const std::string_view bad : {"", ":", "read:", ":read", "a::b", "read filesystem", "a,b",
                                     "re*d", "**", "read:**", "read:*x"}) {
    EXPECT_FALSE(is_permission(bad)) << bad;
    EXPECT_FALSE(is_permission_grant(bad)) << bad;
  }
  for (const std::string_view pattern : {"*", "read:*", "*:fs:*"}) {
    EXPECT_FALSE(is_permission(pattern)) << pattern;
    EXPECT_TRUE(is_permission_grant(pattern)) << pattern;
  }
}

TEST(Permission, IsCoveredSegmentBySegment) {
  const struct {
    std::string_view grant, permission;
    bool want;
  } rows[] = {
      {"read:fs", "read:fs", true},  {"read:fs", "read:sql", false},
      {"read:fs", "read", false},    {"read", "read:fs", false},
      {"read:*", "read:fs", true},   {"read:*", "write:fs", false},
      {"read:*", "read", false},     {"read:*", "read:sql:users", false},
      {"*:fs", "write:fs", true},    {"*", "admin", true},
      {"*", "read:fs", false},       {"*:*", "read:fs", true},
      {"Read:fs", "read:fs", false}, {"read:f", "read:fs", false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(grants_permission(row.grant, row.permission), row.want)
        << row.grant << " " << row.permission;
}

TEST(Permission, ThatIsNoneIsAnErrorAtItsPlace) {
  constexpr std::string_view kText = R"(version = 1
audit.file = "x"
server.s.command = ["p"]
[role.r]
permissions = ["read:*", "read:"]
[tool."s/t"]
permissions = ["read:fs", "read:*"]
)";
  EXPECT_EQ(
      all_text(load_config_text(kText, "c.toml").problems),
      "c.toml:5:26: error: \"read:\" is not a permission; write \"read:filesystem\", or "
      "\"read:*\" for all of that form\n"
      "c.toml:7:27: error: \"read:*\" is not a permission; a profile asks for permissions one "
      "by one, such as \"read:filesystem\"\n");
}

}  // namespace
}  // namespace bartizan
