#include "gateway/worker/token_vault.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bartizan {
namespace {

Redaction::Token token(const std::string& text, std::string value) {
  return {text, std::move(value)};
}

TEST(TokenVault, GivesValuesBackToTheirServerAndPrincipalAlone) {
  TokenVault vault;
  vault.keep("ann", "files", {token("t1", "one"), token("t2", "two")});
  EXPECT_EQ(vault.find("ann", "files", "t1"), "one");
  EXPECT_EQ(vault.find("ann", "files", "t2"), "two");
  EXPECT_EQ(vault.find("ann", "files", "t3"), std::nullopt);
  EXPECT_EQ(vault.find("ann", "github", "t1"), std::nullopt);
  EXPECT_EQ(vault.find("bob", "files", "t1"), std::nullopt);
}

TEST(TokenVault, ForgetsWhatWasToldLongestAgo) {
  TokenVault vault;
  vault.keep("bob", "files", {token("t0", "bob's")});
  vault.keep("ann", "github", {token("t0", "another server's")});
  for (std::size_t i = 0; i < limits::tokens_per_share_max; ++i)
    vault.keep("ann", "files", {token("t" + std::to_string(i), "v")});
  vault.keep("ann", "files", {token("t0", "v"), token("new", "v")});
  EXPECT_EQ(vault.find("ann", "files", "t0"), "v") << "it was told again";
  EXPECT_EQ(vault.find("ann", "files", "t1"), std::nullopt);
  EXPECT_EQ(vault.find("ann", "files", "new"), "v");
  EXPECT_EQ(vault.find("bob", "files", "t0"), "bob's");
  EXPECT_EQ(vault.find("ann", "github", "t0"), "another server's");
  vault.keep("ann", "files", {token("large", std::string(limits::token_bytes_per_share_max, 'x'))});
  EXPECT_EQ(vault.find("ann", "files", "t500"), std::nullopt) << "by bytes as well";
  EXPECT_TRUE(vault.find("ann", "files", "large").has_value());
}

TEST(TokenVault, ForgetsWhoWasHereLongestAgo) {
  TokenVault vault;
  for (std::size_t i = 0; i < limits::token_shares_max; ++i)
    vault.keep("p" + std::to_string(i), "files", {token("t", "v")});
  EXPECT_TRUE(vault.find("p0", "files", "t").has_value()) << "and is here again";
  vault.keep("another", "files", {token("t", "v")});
  EXPECT_TRUE(vault.find("p0", "files", "t").has_value());
  EXPECT_EQ(vault.find("p1", "files", "t"), std::nullopt);
}

}  // namespace
}  // namespace bartizan
