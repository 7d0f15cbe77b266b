#include "policy/text/match.h"

#include <gtest/gtest.h>

namespace bartizan {
namespace {

TEST(Glob, Matches) {
  const struct {
    std::string_view name;
    std::string pattern;
    std::string_view text;
    bool want;
  } cases[] = {
      {"a literal names itself", "files/read", "files/read", true},
      {"and nothing longer", "files/read", "files/read_text", false},
      {"letter case counts", "files/read", "files/Read", false},
      {"a star is any run", "files/read_*", "files/read_text", true},
      {"also an empty one", "files/read_*", "files/read_", true},
      {"half a prefix is not a match", "files/read_*", "files/read", false},
      {"a star stays in its segment", "files/*", "files/a/b", false},
      {"a star needs its segment", "files/*", "files", false},
      {"stars in both segments", "*/*", "files/read", true},
      {"several stars", "files/*_*_x", "files/a_b_x", true},
      {"several stars, almost", "files/*_*_x", "files/a_x", false},
      {"the tail is not shared with the middle", "files/*ab*ab", "files/ab", false},
      {"leftmost is enough", "files/*ab*ab", "files/abxabab", true},
      {"two stars take all below", "files/**", "files/a/b/c", true},
      {"one segment is below too", "files/**", "files/a", true},
      {"the directory itself is not below", "files/**", "files", false},
      {"two stars alone take everything", "**", "a/b/c", true},
      {"two stars elsewhere are one", "files/a**", "files/a/b", false},
      {"a question mark is itself", "files/rea?", "files/read", false},
      {"brackets are themselves", "files/[r]ead", "files/read", false},
      {"empty matches empty", "", "", true},
      {"empty segments count", "files/file:///srv/**", "files/file:///srv/a", true},
      {"and are told apart", "files/file:///srv/**", "files/file://srv/a", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Glob(c.pattern).matches(c.text), c.want);
  }
}

TEST(Glob, IsWellFormed) {
  EXPECT_TRUE(Glob("a/**").is_well_formed());
  EXPECT_TRUE(Glob("**").is_well_formed());
  EXPECT_FALSE(Glob("a**").is_well_formed());
  EXPECT_FALSE(Glob("a/**/b").is_well_formed());
  EXPECT_FALSE(Glob("a/***").is_well_formed());
  EXPECT_FALSE(Glob("").is_well_formed());
}

TEST(Glob, Covers) {
  const struct {
    std::string wide;
    std::string narrow;
    bool want;
  } cases[] = {
      {"files/*", "files/read_*", true}, {"files/read_*", "files/*", false},
      {"files/*", "files/*", true},      {"files/*", "files/**", false},
      {"files/**", "files/**", true},    {"files/**", "files/a/*", true},
      {"**", "files/**", true},          {"*/*", "files/**", false},
      {"files/*", "mail/send", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Glob(c.wide).covers(Glob(c.narrow)), c.want) << c.wide << " " << c.narrow;
  }
}

// A text made to send a backtracking matcher round and round ends at once here.
TEST(Glob, ManyStarsAreLinear) {
  std::string pattern = "files/";
  for (int i = 0; i < 200; ++i)
    pattern += "*a";
  EXPECT_FALSE(Glob(pattern + "b").matches("files/" + std::string(100'000, 'a')));
}

}  // namespace
}  // namespace bartizan
