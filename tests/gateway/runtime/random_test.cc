#include "gateway/runtime/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace bartizan {
namespace {

// RFC 4231, test cases 1, 2 and 6.
TEST(KeyedDigest, IsHmacSha256) {
  const struct {
    std::string_view name;
    std::string key;
    std::string_view text;
    std::string_view hex;
  } cases[] = {
      {"case 1", std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"case 2", "Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {"case 6", std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(KeyedDigest::hex(KeyedDigest(c.key).digest(c.text)), c.hex);
  }
}

TEST(KeyedDigest, DependsOnKeyAndText) {
  const KeyedDigest one("one");
  EXPECT_EQ(one.digest("text"), one.digest("text"));
  EXPECT_NE(one.digest("text"), one.digest("Text"));
  EXPECT_NE(one.digest("text"), KeyedDigest("two").digest("text"));
  EXPECT_NE(one.digest(""), KeyedDigest("").digest(""));
}

TEST(Random, GivesNothingTwice) {
  Random random;
  std::set<std::array<std::uint8_t, 16>> drawn;
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(drawn.insert(random.draw<16>()).second);
  const auto whole_block = random.draw<256>();
  EXPECT_GT(std::set(whole_block.begin(), whole_block.end()).size(), 100U);
}

TEST(Random, IsDifferentForEach) {
  Random one;
  Random two;
  EXPECT_NE(one.draw<16>(), two.draw<16>());
}

}  // namespace
}  // namespace bartizan
