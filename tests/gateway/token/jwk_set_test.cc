#include "gateway/token/jwk_set.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/err.h>

#include <optional>
#include <string>
#include <vector>

#include "gateway/token/edwards_point.h"
#include "tests/gateway/token/mint_token.h"

namespace bartizan {
namespace {

using namespace std::string_view_literals;

std::string rsa(std::string_view modulus, std::string_view exponent = "\x01\x00\x01"sv) {
  return fmt::format(R"({{"kty":"RSA","n":"{}","e":"{}"}})", encode_base64url(modulus),
                     encode_base64url(exponent));
}

/// A number of that many bits, the last one of which is set.
std::string odd_number(std::size_t bits) {
  std::string bytes((bits + 7) / 8, '\x5b');
  bytes.front() = static_cast<char>(1U << (bits + 7) % 8);
  return bytes;
}

std::string even_number(std::size_t bits) {
  std::string bytes = odd_number(bits);
  bytes.back() = '\x5a';
  return bytes;
}

std::string ec(std::string_view curve, std::string_view x, std::string_view y) {
  return fmt::format(R"({{"kty":"EC","crv":"{}","x":"{}","y":"{}"}})", curve, encode_base64url(x),
                     encode_base64url(y));
}

std::string okp(std::string_view x) {
  return fmt::format(R"({{"kty":"OKP","crv":"Ed25519","x":"{}"}})", encode_base64url(x));
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

const SigningKey& key_of(KeyKind kind) {
  return SigningKey::of(kind);
}

/// The other coordinate's last bit is turned: such a point is not on the curve.
std::string off_curve() {
  std::string y = key_of(KeyKind::p256).number("y");
  y.back() = static_cast<char>(y.back() ^ 1);
  return ec("P-256", key_of(KeyKind::p256).number("x"), y);
}

TEST(JwkSet, TakesKeysThatVerifyAndLeavesOutOthersByWhy) {
  using enum KeyDefect;
  const std::string x = key_of(KeyKind::p256).number("x");
  const std::string y = key_of(KeyKind::p256).number("y");
  const auto p256 = [](std::string_view members) { return key_of(KeyKind::p256).jwk(members); };
  const auto rsa_with = [](std::string_view members) { return key_of(KeyKind::rsa).jwk(members); };
  const struct {
    std::string_view name;
    std::string jwk;
    std::optional<KeyDefect> want;
  } cases[] = {
      {"RSA", rsa_with(""), {}},
      {"P-256", p256(""), {}},
      {"P-384", key_of(KeyKind::p384).jwk(), {}},
      {"P-521", key_of(KeyKind::p521).jwk(), {}},
      {"Ed25519", key_of(KeyKind::ed25519).jwk(), {}},
      {"for signatures", p256(R"("use":"sig",)"), {}},
      {"for verifying", p256(R"("key_ops":["sign","verify"],)"), {}},
      {"for one algorithm", rsa_with(R"("alg":"PS256",)"), {}},
      {"by the newer name", key_of(KeyKind::ed25519).jwk(R"("alg":"Ed25519",)"), {}},
      {"members that nobody knows", p256(R"("x5t":"?","issuer":"https://as.test",)"), {}},
      {"RSA of 2048 bits", rsa(odd_number(2048)), {}},
      {"RSA of 8192 bits", rsa(odd_number(8192)), {}},
      {"exponent 3", rsa(odd_number(2048), "\x03"), {}},
      {"exponent of 33 bits", rsa(odd_number(2048), odd_number(33)), {}},

      {"no object", R"("key")", no_object},
      {"no kty", R"({"n":"AQ","e":"AQAB"})", no_object},
      {"kty that is not a text", R"({"kty":1})", no_object},
      {"no modulus", R"({"kty":"RSA","e":"AQAB"})", no_object},
      {"kty in another case", R"({"kty":"rsa","n":"AQ","e":"AQAB"})", kind_unknown},
      {"kty of another kind", R"({"kty":"AKP","alg":"ML-DSA-44","pub":"AA"})", kind_unknown},
      {"shared secret", R"({"kty":"oct","k":"AAAA","alg":"HS256"})", symmetric},
      {"private key", p256(R"("d":"AAAA",)"), private_key},
      {"one prime", rsa_with(R"("p":"AAAA",)"), private_key},
      {"for encryption", rsa_with(R"("use":"enc","alg":"RSA-OAEP",)"), use_other},
      {"use that is not a text", p256(R"("use":["sig"],)"), use_other},
      {"for signing only", p256(R"("key_ops":["sign"],)"), operations_other},
      {"for nothing", p256(R"("key_ops":[],)"), operations_other},
      {"operations that are no list", p256(R"("key_ops":"verify",)"), operations_other},
      {"algorithm for encryption", rsa_with(R"("alg":"RSA-OAEP",)"), algorithm_unknown},
      {"algorithm none", p256(R"("alg":"none",)"), algorithm_unknown},
      {"algorithm in another case", p256(R"("alg":"es256",)"), algorithm_unknown},
      {"HMAC with a public key", rsa_with(R"("alg":"HS256",)"), algorithm_unknown},
      {"algorithm of another curve", p256(R"("alg":"ES384",)"), algorithm_mismatch},
      {"algorithm of another kind", rsa_with(R"("alg":"ES256",)"), algorithm_mismatch},
      {"Bitcoin's curve", ec("secp256k1", x, y), curve_unknown},
      {"no curve", R"({"kty":"EC","x":"AA","y":"AA"})", curve_unknown},
      {"X25519", R"({"kty":"OKP","crv":"X25519","x":"AA"})", curve_unknown},
      {"Ed448", R"({"kty":"OKP","crv":"Ed448","x":"AA"})", curve_unknown},
      {"kid that is not a text", p256(R"("kid":7,)"), id_malformed},
      {"kid with a NUL", p256(R"("kid":"a\u0000b",)"), id_malformed},
      {"kid of 513 bytes", p256(fmt::format(R"("kid":"{}",)", std::string(513, 'k'))),
       id_malformed},
      {"padded number", R"({"kty":"OKP","crv":"Ed25519","x":"AAAA="})", encoding},
      {"plain base64", R"({"kty":"OKP","crv":"Ed25519","x":"+AAA"})", encoding},
      {"bits left over", R"({"kty":"RSA","n":"AB","e":"AQAB"})", encoding},
      {"zero in front", rsa(std::string(1, '\0') + odd_number(2048)), length},
      {"no exponent", rsa(odd_number(2048), ""), length},
      {"coordinate too short", ec("P-256", x, y.substr(1)), length},
      {"coordinate too long", ec("P-256", x, std::string(1, '\0') + y), length},
      {"points of another curve", ec("P-384", x, y), length},
      {"Ed25519 of 31 bytes", okp(std::string(31, 'x')), length},
      {"Ed25519 of 33 bytes", okp(std::string(33, 'x')), length},
      {"RSA of 2047 bits", rsa(odd_number(2047)), modulus_size},
      {"RSA of 1024 bits", rsa(odd_number(1024)), modulus_size},
      {"RSA of 8200 bits", rsa(odd_number(8200)), modulus_size},
      {"even modulus", rsa(even_number(2048)), modulus_even},
      {"exponent 1", rsa(odd_number(2048), "\x01"), exponent},
      {"exponent 2", rsa(odd_number(2048), "\x02"), exponent},
      {"exponent of 34 bits", rsa(odd_number(2048), odd_number(34)), exponent},
      {"exponent of 2048 bits", rsa(odd_number(2048), odd_number(2048)), exponent},
      {"point off the curve", off_curve(), point},
      {"coordinates of zero", ec("P-256", std::string(32, '\0'), std::string(32, '\0')), point},
      {"coordinate above the prime", ec("P-256", std::string(32, '\xff'), y), point},
      {"Ed25519 of order 1", okp('\x01' + std::string(31, '\0')), point},
      {"Ed25519 off the curve", okp('\x02' + std::string(31, '\0')), point},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    // Beside one that stays.
    const std::string good = key_of(KeyKind::p384).jwk(R"("kid":"good",)");
    const auto set = read_jwk_set(Bytes(fmt::format(R"({{"keys":[{},{}]}})", c.jwk, good)));
    ASSERT_TRUE(set.has_value()) << set.error().detail;
    ASSERT_EQ(set->keys.size(), c.want.has_value() ? 1U : 2U);
    EXPECT_EQ(set->keys.back().id, "good");
    std::array<std::uint32_t, kKeyDefectCount> left_out{};
    if (c.want.has_value()) left_out[static_cast<std::size_t>(*c.want)] = 1;
    EXPECT_EQ(set->left_out, left_out);
    EXPECT_EQ(ERR_peek_error(), 0U);
  }
}

// Each defect has its row above.
TEST(JwkSet, NamesEachDefect) {
  std::vector<std::string_view> names;
  names.reserve(kKeyDefectCount);
  for (std::size_t i = 0; i < kKeyDefectCount; ++i)
    names.push_back(text(static_cast<KeyDefect>(i)));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_FALSE(names.front().empty());
}

TEST(JwkSet, RefusesWhatIsNoKeySet) {
  std::string many;
  for (std::size_t i = 0; i <= kKeySetKeysMax; ++i)
    many.append(many.empty() ? "" : ",").append("{}");
  const struct {
    std::string_view name;
    std::string text;
    ErrorCode want;
  } cases[] = {
      {"nothing", "", ErrorCode::json_syntax},
      {"a page", "<html>", ErrorCode::json_syntax},
      {"a list", "[]", ErrorCode::server_failed},
      {"no keys", R"({"key":[]})", ErrorCode::server_failed},
      {"keys that are no list", R"({"keys":{}})", ErrorCode::server_failed},
      {"keys twice", R"({"keys":[],"keys":[]})", ErrorCode::json_duplicate_key},
      {"something behind", R"({"keys":[]} {})", ErrorCode::json_trailing},
      {"too many keys", fmt::format(R"({{"keys":[{}]}})", many), ErrorCode::server_failed},
      {"too large", fmt::format(R"({{"keys":[],"x":"{}"}})", std::string(kKeySetBytesMax, 'x')),
       ErrorCode::json_size},
      {"too deep", R"({"keys":[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]})", ErrorCode::json_depth},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto set = read_jwk_set(Bytes(c.text));
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().code, c.want);
    EXPECT_EQ(set.error().fault, Fault::server);
  }
  EXPECT_TRUE(read_jwk_set(Bytes(R"({"keys":[]})")).has_value());
}

TEST(EdwardsPoint, IsOnTheCurveInItsOneSpellingAndOfLargeOrder) {
  const struct {
    std::string_view name;
    std::string_view hex;
    bool want;
  } cases[] = {
      {"RFC 8032, 7.1, test 1", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
       true},
      {"RFC 8032, 7.1, test 2", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
       true},
      {"with the sign of x", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
       true},
      {"not on the curve", "0200000000000000000000000000000000000000000000000000000000000000",
       false},
      {"y of 0", "0000000000000000000000000000000000000000000000000000000000000000", false},
      {"y of 0 with a sign", "0000000000000000000000000000000000000000000000000000000000000080",
       false},
      {"y of 1", "0100000000000000000000000000000000000000000000000000000000000000", false},
      {"y of -1", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", false},
      {"order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", false},
      {"order 8, -y", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", false},
      {"order 8, with a sign", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
       false},
      {"the prime for 0", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       false},
      {"the prime and 1", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       false},
      // 3 is the y of a point, so this one is refused for its spelling alone.
      {"the prime and 3", "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       false},
      {"3", "0300000000000000000000000000000000000000000000000000000000000000", true},
      {"31 bytes", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f70751", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_edwards_point(from_hex(c.hex)), c.want);
  }
}

}  // namespace
}  // namespace bartizan
