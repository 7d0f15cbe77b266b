#include "gateway/token/sealed_text.h"

#include <gtest/gtest.h>

#include <string>

namespace bartizan {
namespace {

using enum SealedFor;

TEST(SealedText, IsReadByItsSecretForItsUseAlone) {
  Random random;
  const std::string secret(43, 's');
  for (const std::string& text :
       {std::string("refresh:abc"), std::string(), std::string(4096, 'x')}) {
    std::string sealed = seal_text(provider_token, text, "ann", secret, random);
    EXPECT_EQ(open_sealed_text(provider_token, sealed, "ann", secret), text);
    EXPECT_NE(seal_text(provider_token, text, "ann", secret, random), sealed)
        << "two of one text look alike";
    EXPECT_EQ(open_sealed_text(provider_token, sealed, "ann", std::string(43, 't')), std::nullopt);
    EXPECT_EQ(open_sealed_text(provider_token, sealed, "bob", secret), std::nullopt);
    EXPECT_EQ(open_sealed_text(request_state, sealed, "ann", secret), std::nullopt);
    if (text.size() > 4) EXPECT_FALSE(sealed.contains(text));
    sealed[sealed.size() / 2] = sealed[sealed.size() / 2] == 'A' ? 'B' : 'A';
    EXPECT_EQ(open_sealed_text(provider_token, sealed, "ann", secret), std::nullopt) << "changed";
  }
  EXPECT_EQ(open_sealed_text(provider_token, "", "", secret), std::nullopt);
  EXPECT_EQ(open_sealed_text(provider_token, "AAAA", "", secret), std::nullopt);
}

}  // namespace
}  // namespace bartizan
