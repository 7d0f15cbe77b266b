#include "gateway/token/verify_signature.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/err.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/gateway/token/mint_token.h"

namespace bartizan {
namespace {

using enum SignatureAlgorithm;

const SigningKey& key_for(SignatureAlgorithm algorithm) {
  return SigningKey::of(kind_of(algorithm));
}

std::string_view name_of(SignatureAlgorithm algorithm) {
  return kSignatureAlgorithmNames[static_cast<std::size_t>(algorithm)].first;
}

JwkSet set_of(std::string_view keys) {
  auto set = read_jwk_set(Bytes(fmt::format(R"({{"keys":[{}]}})", keys)));
  EXPECT_TRUE(set.has_value());
  return *std::move(set);
}

std::string signed_by(SignatureAlgorithm algorithm, const SigningKey& key,
                      std::string_view members = {}) {
  return mint(key, algorithm, fmt::format(R"({{{}"alg":"{}"}})", members, name_of(algorithm)),
              "payload");
}

std::optional<TokenFault> fault_of(std::string_view token, const JwkSet& set,
                                   std::span<const SignatureAlgorithm> allowed = {}) {
  const auto jws = read_compact_jws(token);
  if (!jws) return jws.error();
  const auto verified = verify_signature(*jws, set.keys, allowed);
  EXPECT_EQ(ERR_peek_error(), 0U);
  return verified ? std::nullopt : std::optional(verified.error());
}

TEST(VerifySignature, EachAlgorithmVerifiesItsOwnAndNoOther) {
  for (std::size_t i = 0; i < kSignatureAlgorithms; ++i) {
    const auto algorithm = static_cast<SignatureAlgorithm>(i);
    SCOPED_TRACE(name_of(algorithm));
    const SigningKey& key = key_for(algorithm);
    const JwkSet set = set_of(key.jwk());
    const std::string token = signed_by(algorithm, key);
    EXPECT_EQ(fault_of(token, set), std::nullopt);
    // The same signature under the name of each other one.
    const auto jws = read_compact_jws(token);
    ASSERT_TRUE(jws.has_value());
    for (std::size_t j = 0; j < kSignatureAlgorithms; ++j) {
      if (i == j) continue;
      const auto other = static_cast<SignatureAlgorithm>(j);
      EXPECT_FALSE(set.keys.front().key.verify(other, jws->signing_input, jws->signature))
          << name_of(other);
    }
    // Each byte of what is signed counts, and each of the signature.
    for (std::size_t at = 0; at < jws->signing_input.size(); ++at) {
      std::string input = jws->signing_input;
      input[at] = static_cast<char>(input[at] ^ 1);
      EXPECT_FALSE(set.keys.front().key.verify(algorithm, input, jws->signature));
    }
    for (std::size_t at = 0; at < jws->signature.size(); at += 7) {
      std::string signature = jws->signature;
      signature[at] = static_cast<char>(signature[at] ^ 1);
      EXPECT_FALSE(set.keys.front().key.verify(algorithm, jws->signing_input, signature));
    }
    for (const std::string& signature :
         {jws->signature.substr(1), jws->signature + '\0', '\0' + jws->signature, std::string()}) {
      const auto verified = set.keys.front().key.verify(algorithm, jws->signing_input, signature);
      ASSERT_FALSE(verified.has_value());
      EXPECT_EQ(verified.error(), TokenFault::signature_length);
    }
    EXPECT_EQ(ERR_peek_error(), 0U);
  }
}

TEST(VerifySignature, RefusesNumbersThatNoSignatureHas) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kOrder =
      "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51"sv;
  const std::string zero(32, '\0');
  const std::string one = std::string(31, '\0') + '\x01';
  std::string below(kOrder);
  below.back() = '\x50';
  const std::string order(kOrder);
  const struct {
    std::string_view name;
    std::string signature;
    TokenFault want;
  } cases[] = {
      {"0 and 0", zero + zero, TokenFault::signature_range},
      {"0 and 1", zero + one, TokenFault::signature_range},
      {"1 and 0", one + zero, TokenFault::signature_range},
      {"order and 1", order + one, TokenFault::signature_range},
      {"1 and order", one + order, TokenFault::signature_range},
      {"above the order", std::string(32, '\xff') + one, TokenFault::signature_range},
      {"1 and 1", one + one, TokenFault::signature_wrong},
      {"below the order", below + below, TokenFault::signature_wrong},
  };
  const JwkSet set = set_of(SigningKey::of(KeyKind::p256).jwk());
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fault_of(join_token(R"({"alg":"ES256"})", "payload", c.signature), set), c.want);
  }
}

TEST(VerifySignature, ChoosesTheKey) {
  const SigningKey& key = SigningKey::of(KeyKind::p256);
  const SigningKey& stranger = SigningKey::stranger();
  const SigningKey& rsa = SigningKey::of(KeyKind::rsa);
  const auto one = [&](std::string_view members) { return key.jwk(members); };
  const auto other = [&](std::string_view members) { return stranger.jwk(members); };
  const auto join = [](std::initializer_list<std::string> keys) {
    return fmt::format("{}", fmt::join(keys, ","));
  };
  const std::string k1 = R"("kid":"k1",)";
  const std::string k2 = R"("kid":"k2",)";
  const struct {
    std::string_view name;
    std::string token;
    std::string keys;
    std::vector<SignatureAlgorithm> allowed;
    std::optional<TokenFault> want;
  } cases[] = {
      {"by its name", signed_by(es256, key, k1), join({other(k2), one(k1)}), {}, {}},
      {"one of two of that name", signed_by(es256, key, k1), join({other(k1), one(k1)}), {}, {}},
      {"without a name", signed_by(es256, key), join({other(k2), rsa.jwk(), one(k1)}), {}, {}},
      {"for its algorithm", signed_by(ps384, rsa), rsa.jwk(R"("alg":"PS384",)"), {}, {}},
      {"that its issuer may use", signed_by(es256, key), one(""), {rs256, es256}, {}},

      {"of no name", signed_by(es256, key, k1), one(""), {}, TokenFault::unknown_key},
      {"of another name", signed_by(es256, key, k1), one(k2), {}, TokenFault::unknown_key},
      {"of a name in another case",
       signed_by(es256, key, R"("kid":"K1",)"),
       one(k1),
       {},
       TokenFault::unknown_key},
      {"of a name that goes on",
       signed_by(es256, key, R"("kid":"k",)"),
       one(k1),
       {},
       TokenFault::unknown_key},
      {"no keys", signed_by(es256, key), "", {}, TokenFault::unknown_key},
      {"none that fits", signed_by(es256, key), rsa.jwk(), {}, TokenFault::unknown_key},
      {"somebody else's under its name",
       signed_by(es256, stranger, k1),
       one(k1),
       {},
       TokenFault::signature_wrong},
      {"of another kind under its name",
       signed_by(rs256, rsa, k1),
       one(k1),
       {},
       TokenFault::key_other_algorithm},
      {"for another algorithm",
       signed_by(rs256, rsa, k1),
       rsa.jwk(R"("kid":"k1","alg":"PS256",)"),
       {},
       TokenFault::key_other_algorithm},
      {"for another algorithm, without a name",
       signed_by(rs256, rsa),
       rsa.jwk(R"("alg":"PS256",)"),
       {},
       TokenFault::unknown_key},
      {"that its issuer may not use",
       signed_by(es256, key),
       one(""),
       {rs256, es384},
       TokenFault::algorithm_not_allowed},
      {"the fourth",
       signed_by(es256, key),
       join({other(""), other(""), other(""), one("")}),
       {},
       {}},
      {"the fifth",
       signed_by(es256, key),
       join({other(""), other(""), other(""), other(""), one("")}),
       {},
       TokenFault::keys_ambiguous},
      {"the fifth of that name",
       signed_by(es256, key, k1),
       join({other(k1), other(k1), other(k1), other(k1), one(k1)}),
       {},
       TokenFault::keys_ambiguous},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fault_of(c.token, set_of(c.keys), c.allowed), c.want);
  }
}

}  // namespace
}  // namespace bartizan
