#include "gateway/token/signed_token.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "tests/gateway/token/mint_token.h"

namespace bartizan {
namespace {

using enum TokenFault;

std::optional<TokenFault> fault_of(std::string_view text) {
  const auto token = SignedToken::read(text);
  return token ? std::nullopt : std::optional(token.error());
}

TEST(SignedToken, ReadsWhatItSays) {
  const std::string text = join_token(R"({"alg":"ES256","kid":"k1","typ":"at+jwt"})",
                                      R"({"iss":"https://as.test","sub":"\u0061nn"})", "signature");
  auto read = SignedToken::read(text);
  ASSERT_TRUE(read.has_value());
  // Its claims go with it.
  const SignedToken token = *std::move(read);
  EXPECT_EQ(token.issuer(), "https://as.test");
  EXPECT_EQ(token.claims().find("sub").text(), "ann");
  const CompactJws& jws = token.jws();
  EXPECT_EQ(jws.header.algorithm, SignatureAlgorithm::es256);
  EXPECT_EQ(jws.header.key_id, "k1");
  EXPECT_TRUE(jws.header.is_access_token);
  EXPECT_EQ(jws.signature, "signature");
  EXPECT_EQ(jws.signing_input, text.substr(0, text.rfind('.')));
}

TEST(SignedToken, RefusesOtherForms) {
  const std::string header = encode_base64url(R"({"alg":"ES256"})");
  const std::string claims = encode_base64url(R"({"iss":"a"})");
  const auto join = [](std::string_view a, std::string_view b, std::string_view c) {
    return fmt::format("{}.{}.{}", a, b, c);
  };
  const std::string token = join(header, claims, "AAAA");
  const std::string pad(kTokenBytesMax - token.size(), 'A');
  const struct {
    std::string_view name;
    std::string text;
    std::optional<TokenFault> want;
  } cases[] = {
      {"a token", token, {}},
      {"as long as may be", token + pad, {}},
      {"a byte longer", token + pad + "A", too_long},
      {"nothing", "", empty},
      {"a word", "AAAA", parts},
      {"two parts", fmt::format("{}.{}", header, claims), parts},
      {"four parts", token + ".", parts},
      {"five parts", token + "..", encrypted},
      {"six parts", token + "...", parts},
      {"blank in front", " " + token, header_encoding},
      {"line end behind", token + "\n", signature_encoding},
      {"blank inside", join(header + " ", claims, "AAAA"), header_encoding},
      {"padded header", join(header + "=", claims, "AAAA"), header_encoding},
      {"padded claims", join(header, claims + "=", "AAAA"), payload_encoding},
      {"padded signature", join(header, claims, "AA=="), signature_encoding},
      {"plain base64", join(header, claims, "+/+/"), signature_encoding},
      {"bits left over in the header", join(header + "AB", claims, "AAAA"), header_encoding},
      {"bits left over in the claims", join(header, "AB", "AAAA"), payload_encoding},
      {"bits left over in the signature", join(header, claims, "AB"), signature_encoding},
      {"no signature", join(header, claims, ""), signature_missing},
      {"no header", join("", claims, "AAAA"), header_json},
      {"no claims", join(header, "", "AAAA"), claims_json},
      {"scheme in front", "Bearer " + token, header_encoding},
      {"JSON serialisation", R"({"payload":"AA","signatures":[]})", parts},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fault_of(c.text), c.want);
  }
}

TEST(SignedToken, JudgesTheHeader) {
  const struct {
    std::string_view name;
    std::string_view header;
    std::optional<TokenFault> want;
  } cases[] = {
      {"least", R"({"alg":"ES256"})", {}},
      {"blanks and line ends", "{ \"alg\" :\n\t\"ES256\" }", {}},
      {"JWT", R"({"alg":"ES256","typ":"JWT"})", {}},
      {"JWT in small letters", R"({"alg":"ES256","typ":"jwt"})", {}},
      {"access token", R"({"alg":"ES256","typ":"at+jwt"})", {}},
      {"access token in whole", R"({"alg":"ES256","typ":"application/at+jwt"})", {}},
      {"access token in other letters", R"({"alg":"ES256","typ":"Application/AT+JWT"})", {}},
      {"members that nobody knows", R"({"alg":"ES256","nonce":"n","ver":"1"})", {}},
      {"places of keys, which are not looked at",
       R"({"alg":"RS256","jku":"https://evil.test","x5u":"https://evil.test","x5c":[],"x5t":"x"})",
       {}},

      {"no JSON", "alg", header_json},
      {"a list", R"([{"alg":"ES256"}])", header_json},
      {"something behind", R"({"alg":"ES256"}{})", header_json},
      {"byte order mark", "\xef\xbb\xbf{\"alg\":\"ES256\"}", header_json},
      {"no UTF-8", "{\"alg\":\"ES256\",\"kid\":\"\xff\"}", header_json},
      {"comma behind the last", R"({"alg":"ES256",})", header_json},
      {"too deep", R"({"alg":"ES256","a":[[[[[[[[[]]]]]]]]]})", header_json},
      {"alg twice", R"({"alg":"none","alg":"ES256"})", header_repeated},
      {"alg twice, spelled otherwise", R"({"alg":"ES256","\u0061lg":"none"})", header_repeated},
      {"alg twice further down", R"({"alg":"ES256","x":{"a":1,"a":2}})", header_repeated},

      {"no alg", R"({"typ":"JWT"})", algorithm_missing},
      {"alg that is not a text", R"({"alg":["ES256"]})", algorithm_missing},
      {"alg null", R"({"alg":null})", algorithm_missing},
      {"alg under another letter case", R"({"Alg":"ES256"})", algorithm_missing},
      {"none", R"({"alg":"none"})", algorithm_none},
      {"none in mixed letters", R"({"alg":"nOnE"})", algorithm_none},
      {"HMAC", R"({"alg":"HS256"})", algorithm_symmetric},
      {"HMAC in small letters", R"({"alg":"hs512"})", algorithm_symmetric},
      {"empty", R"({"alg":""})", algorithm_unknown},
      {"small letters", R"({"alg":"es256"})", algorithm_unknown},
      {"blank behind", R"({"alg":"ES256 "})", algorithm_unknown},
      {"NUL behind", R"({"alg":"ES256\u0000"})", algorithm_unknown},
      {"Bitcoin's curve", R"({"alg":"ES256K"})", algorithm_unknown},
      {"SHA-1", R"({"alg":"RS1"})", algorithm_unknown},
      {"key agreement", R"({"alg":"ECDH-ES"})", algorithm_unknown},

      {"proof of possession", R"({"alg":"ES256","typ":"dpop+jwt"})", type_other},
      {"logout", R"({"alg":"ES256","typ":"logout+jwt"})", type_other},
      {"security event", R"({"alg":"ES256","typ":"secevent+jwt"})", type_other},
      {"assertion of identity", R"({"alg":"ES256","typ":"oauth-id-jag+jwt"})", type_other},
      {"introspection", R"({"alg":"ES256","typ":"token-introspection+jwt"})", type_other},
      {"almost an access token", R"({"alg":"ES256","typ":"at+jwt "})", type_other},
      {"prefix twice", R"({"alg":"ES256","typ":"application/application/at+jwt"})", type_other},
      {"empty typ", R"({"alg":"ES256","typ":""})", type_other},
      {"typ that is not a text", R"({"alg":"ES256","typ":["at+jwt"]})", type_other},

      {"encrypted", R"({"alg":"RSA-OAEP","enc":"A256GCM"})", encrypted},
      {"critical", R"({"alg":"ES256","crit":["exp"],"exp":1})", critical},
      {"nothing critical", R"({"alg":"ES256","crit":[]})", critical},
      {"b64 alone", R"({"alg":"ES256","b64":false})", unencoded},
      {"b64 true", R"({"alg":"ES256","b64":true})", unencoded},
      {"b64 critical", R"({"alg":"ES256","crit":["b64"],"b64":false})", critical},
      {"zip", R"({"alg":"ES256","zip":"DEF"})", compressed},
      {"nested", R"({"alg":"ES256","cty":"JWT"})", nested},
      {"other content", R"({"alg":"ES256","cty":"application/json"})", nested},
      {"own key", R"({"alg":"ES256","jwk":{"kty":"EC"}})", embedded_key},
      {"own key that is none", R"({"alg":"ES256","jwk":null})", embedded_key},
      {"kid that is not a text", R"({"alg":"ES256","kid":1})", key_id_malformed},
      {"kid with a NUL", R"({"alg":"ES256","kid":"k1\u0000"})", key_id_malformed},
      {"kid with a line end", R"({"alg":"ES256","kid":"k1\n"})", key_id_malformed},
      {"kid of SQL, which is a name like others", R"({"alg":"ES256","kid":"' OR 1=1--"})", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fault_of(join_token(c.header, R"({"iss":"a"})", "signature")), c.want);
  }
  const std::string long_kid =
      fmt::format(R"({{"alg":"ES256","kid":"{}"}})", std::string(513, 'k'));
  EXPECT_EQ(fault_of(join_token(long_kid, "{}", "signature")), key_id_malformed);
}

TEST(SignedToken, ReadsClaimsStrictly) {
  const struct {
    std::string_view name;
    std::string claims;
    std::optional<TokenFault> want;
  } cases[] = {
      {"least", "{}", {}},
      {"letters of other scripts", R"({"sub":"Zo\u00eb 东"})", {}},
      {"a line end where nobody is named", R"({"name":"a\nb"})", {}},
      {"a list", "[]", claims_json},
      {"a text", R"("{}")", claims_json},
      {"no JSON", "foo", claims_json},
      {"something behind", "{} x", claims_json},
      {"NaN", R"({"exp":NaN})", claims_json},
      {"a number beyond doubles", R"({"exp":1e400})", claims_json},
      {"lone surrogate", R"({"sub":"\ud800"})", claims_json},
      {"no UTF-8", "{\"sub\":\"\xc3\"}", claims_json},
      {"too deep", fmt::format(R"({{"a":{}{}}})", std::string(24, '['), std::string(24, ']')),
       claims_json},
      {"too many values",
       fmt::format(R"({{"a":[{}1]}})",
                   [] {
                     std::string ones;
                     for (int i = 0; i < 4096; ++i)
                       ones += "1,";
                     return ones;
                   }()),
       claims_json},
      {"sub twice", R"({"sub":"u1","sub":"admin"})", claims_repeated},
      {"sub twice, spelled otherwise", R"({"sub":"u1","s\u0075b":"admin"})", claims_repeated},
      {"act twice further down", R"({"act":{"sub":"a","sub":"b"}})", claims_repeated},
      {"NUL in sub", R"({"sub":"u1\u0000admin"})", identifier_characters},
      {"line end in iss", R"({"iss":"https://as.test\n"})", identifier_characters},
      {"DEL in aud", R"({"aud":"a\u007f"})", identifier_characters},
      {"NUL in one of aud", R"({"aud":["a","b\u0000"]})", identifier_characters},
      {"C1 in jti", R"({"jti":"\u0085"})", identifier_characters},
      {"tab in azp", R"({"azp":"a\tb"})", identifier_characters},
      {"escape in client_id", R"({"client_id":"\u001b[2J"})", identifier_characters},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(fault_of(join_token(R"({"alg":"ES256"})", c.claims, "signature")), c.want);
  }
}

}  // namespace
}  // namespace bartizan
