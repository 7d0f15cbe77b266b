#include "policy/text/glob_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/text/match.h"

namespace bartizan {
namespace {

std::set<std::uint32_t> candidates(const GlobIndex& index, std::string_view text) {
  std::set<std::uint32_t> numbers;
  index.search(text, [&numbers](std::uint32_t number) { numbers.insert(number); });
  return numbers;
}

TEST(GlobIndex, TellsPatternsApartByBeginningAndEnd) {
  const std::vector<std::string> patterns{"files/read", "files/read*", "files/*_text",
                                          "files/**",   "*/read",      "**",
                                          "mail/*",     "files/*a*b"};
  GlobIndex index;
  EXPECT_TRUE(index.is_empty());
  for (std::uint32_t number = 0; number < patterns.size(); ++number)
    index.add(patterns[number], number);
  EXPECT_FALSE(index.is_empty());
  const struct {
    std::string_view name;
    std::string_view text;
    std::set<std::uint32_t> want;
  } rows[] = {
      {"a literal, and what begins or ends so", "files/read", {0, 1, 3, 4, 5}},
      {"another end", "files/read_text", {1, 2, 3, 5}},
      {"another server", "mail/read", {4, 5, 6}},
      {"beginning and end do not share a byte", "files/_tex", {3, 5}},
      {"what stands between is not looked at", "files/b", {3, 5, 7}},
      {"a glob that others cover", "files/read_*", {1, 3, 5}},
      {"nothing but what matches all", "", {5}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(candidates(index, row.text), row.want);
  }
}

// The reference is trying each pattern. Texts are patterns, too, since covering is asked of those.
TEST(GlobIndex, MissesNothingThatMatchesOrCovers) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"a", "b", "ab", "*", "/", "**", "x"};
  const auto text = [&] {
    std::string made;
    for (std::size_t left = random() % 6; left > 0; --left)
      made += parts[random() % parts.size()];
    return made;
  };
  std::size_t matches = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> patterns;
    GlobIndex index;
    for (std::uint32_t number = 0; number < 20; ++number)
      index.add(patterns.emplace_back(text()), number);
    for (int tries = 0; tries < 20; ++tries) {
      const std::string sought = text();
      const std::set<std::uint32_t> found = candidates(index, sought);
      for (std::uint32_t number = 0; number < patterns.size(); ++number) {
        const Glob glob(patterns[number]);
        if (!glob.matches(sought) && !glob.covers(Glob(sought))) continue;
        ++matches;
        EXPECT_TRUE(found.contains(number)) << patterns[number] << " of " << sought;
      }
    }
  }
  EXPECT_GT(matches, 1000U);
}

}  // namespace
}  // namespace bartizan
