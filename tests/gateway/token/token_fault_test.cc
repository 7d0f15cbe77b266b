#include "gateway/token/token_fault.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

using enum TokenFault;

std::string corp_key(std::string_view members = R"("kid":"k1",)") {
  return SigningKey::of(KeyKind::p256).jwk(members);
}

/// A time beside the one of the test.
std::string at(std::int64_t seconds) {
  return fmt::format("{}", kTokenNow + seconds);
}

std::string thumbprint_of(const Hash& hash) {
  const std::string bytes(hash.begin(), hash.end());
  return fmt::format(R"({{"x5t#S256":"{}"}})", encode_base64url(bytes));
}

std::string actors(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i)
    text = fmt::format(R"({{"sub":"a{}"{}{}}})", i, text.empty() ? "" : R"(,"act":)", text);
  return text;
}

IssuerConfig with(void (*change)(IssuerConfig&)) {
  IssuerConfig issuer = corp_issuer();
  change(issuer);
  return issuer;
}

struct Case {
  TokenFault want;
  std::string token;
  IssuerConfig issuer = corp_issuer();
  std::string keys = corp_key();
  std::optional<Hash> certificate = {};
};

std::string with_signature(std::string_view signature) {
  return join_token(token_header(), token_claims(), signature);
}

std::vector<Case> cases_of_form() {
  const std::string token = corp_token();
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  const auto own = [](std::string_view header, std::string_view claims) {
    return mint(SigningKey::of(KeyKind::p256), SignatureAlgorithm::es256, header, claims);
  };
  return {
      {empty, ""},
      {too_long, corp_token({{"pad", fmt::format(R"("{}")", std::string(16'384, 'A'))}})},
      {parts, token.substr(0, second)},
      {encrypted, "e30.AA.AA.AA.AA"},
      {header_encoding, fmt::format("{}={}", token.substr(0, first), token.substr(first))},
      {header_json, own(R"(["ES256"])", token_claims())},
      {header_repeated, own(R"({"alg":"ES256","alg":"ES256"})", token_claims())},
      {payload_encoding, fmt::format("{}={}", token.substr(0, second), token.substr(second))},
      {claims_json, own(token_header(), "null")},
      {claims_repeated, own(token_header(), R"({"sub":"u1","sub":"admin"})")},
      {signature_missing, token.substr(0, second + 1)},
      {signature_encoding, token + "="},
      {identifier_characters, corp_token({{"sub", R"("u1\u0000admin")"}})},
  };
}

std::vector<Case> cases_of_header() {
  return {
      {algorithm_missing, corp_token({}, {{"alg", ""}})},
      {algorithm_none, corp_token({}, {{"alg", R"("none")"}})},
      {algorithm_symmetric, corp_token({}, {{"alg", R"("HS256")"}})},
      {algorithm_unknown, corp_token({}, {{"alg", R"("es256")"}})},
      {type_other, corp_token({}, {{"typ", R"("logout+jwt")"}})},
      {critical, corp_token({}, {{"crit", R"(["exp"])"}})},
      {unencoded, corp_token({}, {{"b64", "false"}})},
      {compressed, corp_token({}, {{"zip", R"("DEF")"}})},
      {nested, corp_token({}, {{"cty", R"("JWT")"}})},
      {embedded_key, corp_token({}, {{"jwk", corp_key()}})},
      {key_id_malformed, corp_token({}, {{"kid", "1"}})},
  };
}

std::vector<Case> cases_of_signature() {
  const std::string zero(32, '\0');
  std::string five;
  for (int i = 0; i < 5; ++i)
    five += fmt::format("{}{}", five.empty() ? "" : ",", corp_key());
  return {
      {issuer_missing, corp_token({{"iss", ""}})},
      {issuer_malformed, corp_token({{"iss", R"(["https://as.test"])"}})},
      {issuer_other, corp_token({{"iss", R"("https://as.test/")"}})},
      {algorithm_not_allowed, corp_token(),
       with([](IssuerConfig& issuer) { issuer.algorithms = {SignatureAlgorithm::rs256}; })},
      {unknown_key, corp_token({}, {{"kid", R"("k2")"}})},
      {key_other_algorithm, corp_token(), corp_issuer(),
       SigningKey::of(KeyKind::rsa).jwk(R"("kid":"k1",)")},
      {keys_ambiguous, corp_token(), corp_issuer(), five},
      {signature_length, with_signature(std::string(63, 'x'))},
      {signature_range, with_signature(zero + zero)},
      {signature_wrong, with_signature(std::string(64, 'x'))},
  };
}

std::vector<Case> cases_of_kind_and_audience() {
  return {
      {id_token, corp_token({{"nonce", R"("n")"}})},
      {other_use, corp_token({{"typ", R"("Refresh")"}})},
      {no_access_marker, corp_token({{"scope", ""}})},
      {audience_missing, corp_token({{"aud", ""}})},
      {audience_malformed, corp_token({{"aud", R"(["https://gw.test/mcp",1])"}})},
      {audience_other, corp_token({{"aud", R"("https://gw.test/mcp/")"}})},
      {requirement, corp_token({{"tid", R"("t2")"}}),
       with([](IssuerConfig& issuer) { issuer.require = {{"tid", {"t1"}}}; })},
  };
}

std::vector<Case> cases_of_times() {
  return {
      {expiry_missing, corp_token({{"exp", ""}})},
      {expiry_malformed, corp_token({{"exp", "1e300"}})},
      {expired, corp_token({{"iat", at(-300)}, {"exp", at(-60)}})},
      {not_before_malformed, corp_token({{"nbf", R"("now")"}})},
      {not_yet_valid, corp_token({{"nbf", at(61)}})},
      {issued_at_malformed, corp_token({{"iat", "-1"}})},
      {issued_later, corp_token({{"iat", at(61)}})},
      {times_contradict, corp_token({{"iat", at(30)}, {"exp", at(30)}})},
      {lifetime_long, corp_token({{"exp", at(86'401)}})},
  };
}

std::vector<Case> cases_of_binding() {
  const Hash shown{1};
  return {
      {confirmation_malformed, corp_token({{"cnf", "{}"}})},
      {confirmation_unknown, corp_token({{"cnf", R"({"jkt":"x"})"}})},
      {certificate_missing, corp_token({{"cnf", thumbprint_of(shown)}})},
      {certificate_other, corp_token({{"cnf", thumbprint_of(shown)}}), corp_issuer(), corp_key(),
       Hash{2}},
  };
}

std::vector<Case> cases_of_identity() {
  const std::string long_text = fmt::format(R"("{}")", std::string(257, 'u'));
  const auto mapped = with([](IssuerConfig& issuer) {
    issuer.roles = {{"groups", {{"admins", {"admin"}}}}};
    issuer.attributes = {{"mail", "email"}};
  });
  return {
      {subject_malformed, corp_token({{"sub", "1"}})},
      {principal_missing, corp_token({{"sub", ""}})},
      {principal_malformed, corp_token({{"sub", R"("")"}})},
      {principal_long, corp_token({{"sub", long_text}})},
      {client_malformed, corp_token({{"azp", "7"}})},
      {token_id_malformed, corp_token({{"jti", long_text}})},
      {actor_malformed, corp_token({{"act", R"({"sub":""})"}})},
      {actors_deep, corp_token({{"act", actors(9)}})},
      {scope_malformed, corp_token({{"scope", R"(["tools:read"])"}})},
      {claim_malformed, corp_token({{"groups", R"({"admins":true})"}}), mapped},
      {claim_overflow, corp_token({{"_claim_names", R"({"groups":"src1"})"}}), mapped},
      {attribute_malformed, corp_token({{"email", R"(["a","b"])"}}), mapped},
  };
}

// A token for each reason, and nothing else wrong with it.
TEST(TokenFaults, EachHasATokenThatIsRefusedForIt) {
  ASSERT_EQ(name_of(fault_of(judge_corp_token(corp_token()))), "accepted");
  std::set<TokenFault> seen;
  for (const auto& cases :
       {cases_of_form(), cases_of_header(), cases_of_signature(), cases_of_kind_and_audience(),
        cases_of_times(), cases_of_binding(), cases_of_identity()}) {
    for (const Case& c : cases) {
      const auto judged = judge_token(c.token, c.issuer, c.keys, c.certificate);
      EXPECT_EQ(name_of(fault_of(judged)), entry_of(c.want).name);
      seen.insert(c.want);
    }
  }
  for (const TokenFaultEntry& entry : kTokenFaults)
    EXPECT_TRUE(seen.contains(entry.fault)) << entry.name << " has no token";
  EXPECT_GE(kTokenFaultCount, 40U);
}

TEST(TokenFaults, HaveNamesAndSentencesOfTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  for (const TokenFaultEntry& entry : kTokenFaults) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(sentences.insert(entry.sentence).second) << entry.sentence;
    EXPECT_FALSE(entry.sentence.ends_with('.')) << entry.sentence;
    EXPECT_EQ(entry.is_expiry, entry.fault == expired);
  }
}

}  // namespace
}  // namespace bartizan
