#include "schemas/base/same_secret.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace bartizan {
namespace {

TEST(SameSecret, EveryBitCounts) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string secret(size, 'k');
    EXPECT_TRUE(is_same_secret(secret, std::string(size, 'k'))) << size;
    for (std::size_t at = 0; at < size; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string other = secret;
        other[at] = static_cast<char>(other[at] ^ (1 << bit));
        EXPECT_FALSE(is_same_secret(secret, other)) << size << " bytes, byte " << at;
      }
    }
  }
}

TEST(SameSecret, LengthsCount) {
  EXPECT_FALSE(is_same_secret("", "k"));
  EXPECT_FALSE(is_same_secret("secret", "secre"));
  EXPECT_FALSE(is_same_secret("secret", std::string_view("secret\0", 7)));
}

TEST(SameSecret, ReadsNothingBesideTheTexts) {
  const std::string_view around = "xsecretyxsecretz";
  EXPECT_TRUE(is_same_secret(around.substr(1, 6), around.substr(9, 6)));
}

}  // namespace
}  // namespace bartizan
