#include "gateway/token/base64url.h"

#include <gtest/gtest.h>

#include "tests/gateway/token/mint_token.h"

namespace bartizan {
namespace {

TEST(Base64url, HasOneTextForEachContent) {
  using namespace std::string_view_literals;
  const struct {
    std::string_view name;
    std::string_view text;
    std::optional<std::string_view> want;
  } cases[] = {
      {"nothing", "", ""},
      {"RFC 4648, 10: f", "Zg", "f"},
      {"RFC 4648, 10: fo", "Zm8", "fo"},
      {"RFC 4648, 10: foo", "Zm9v", "foo"},
      {"RFC 4648, 10: foobar", "Zm9vYmFy", "foobar"},
      {"RFC 7515, C", "A-z_4ME", "\x03\xec\xff\xe0\xc1"sv},
      {"padding", "Zg==", {}},
      {"padding where it makes no difference", "Zm9v====", {}},
      {"one letter", "Z", {}},
      {"one letter more", "Zm9vZ", {}},
      {"bits that are not zero behind one byte", "Zh", {}},
      {"bits that are not zero behind two bytes", "Zm9", {}},
      {"plain base64", "A+z/4ME", {}},
      {"blank", "Zm 9v", {}},
      {"line end", "Zm9v\n", {}},
      {"NUL", "Zm9\0"sv, {}},
      {"byte above ASCII", "Zm9\xc3"sv, {}},
      {"point", "Zm.9v", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(decode_base64url(c.text), c.want);
    if (c.want.has_value()) EXPECT_EQ(encode_base64url(*c.want), c.text);
  }
}

TEST(Base64url, ReadsEachTextOfTwoLettersOrRefusesIt) {
  std::size_t accepted = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const auto bytes = decode_base64url(text);
      if (!bytes.has_value()) continue;
      ++accepted;
      EXPECT_EQ(encode_base64url(*bytes), text);
    }
  }
  EXPECT_EQ(accepted, 256U);
}

}  // namespace
}  // namespace bartizan
