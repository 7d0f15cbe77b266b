#include "schemas/base/secret_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <openssl/crypto.h>

namespace bartizan {
namespace {

TEST(SecretText, IsLockedAndWipedWhereThereIsRoom) {
  const bool is_locked = keep_secrets_locked();
  if (!is_locked) GTEST_SKIP() << "this process may lock no memory";
  const char* where = nullptr;
  {
    const SecretText secret("the-secret-of-a-server");
    where = secret.view().data();
    EXPECT_EQ(CRYPTO_secure_allocated(where), 1);
    EXPECT_EQ(secret.view(), "the-secret-of-a-server");
  }
  // The heap stays mapped; its first words are its own once the block is free.
  const std::string left(where, 22);
  EXPECT_FALSE(left.contains("of-a-server")) << left;
}

TEST(SecretText, IsCopiedMovedAndEmptied) {
  const SecretText secret("a secret");
  SecretText copy = secret;
  EXPECT_EQ(copy.view(), "a secret");
  EXPECT_NE(copy.view().data(), secret.view().data());
  const SecretText moved = std::move(copy);
  EXPECT_EQ(moved.view(), "a secret");
  copy = secret;
  EXPECT_EQ(copy.view(), "a secret");
  copy = SecretText();
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(SecretText("").view(), "");
}

TEST(SecretText, IsKeptWhereTheLockedMemoryIsFull) {
  const std::string large(std::size_t{64} << 10, 'x');
  std::vector<SecretText> all(16, SecretText(large));
  EXPECT_TRUE(std::ranges::all_of(
      all, [&large](const SecretText& secret) { return secret.view() == large; }));
}

}  // namespace
}  // namespace bartizan
