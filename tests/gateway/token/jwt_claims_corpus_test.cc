// Rules of headers and claims, as cases that each test signs with keys of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "schemas/json/json.h"
#include "tests/corpus.h"
#include "tests/gateway/token/judge_token.h"

namespace bartizan {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}

/// `NOW+300`, between quotes or not, as the number that it stands for.
std::string with_times(std::string text) {
  for (std::size_t at = text.find("NOW"); at != text.npos; at = text.find("NOW", at)) {
    std::size_t end = at + 3;
    const bool has_offset = text[end] == '+' || text[end] == '-';
    if (has_offset) end = text.find_first_not_of("0123456789", end + 1);
    const std::int64_t offset = has_offset ? std::stoll(text.substr(at + 3, end - at - 3)) : 0;
    const bool is_quoted = text[at - 1] == '"' && text[end] == '"';
    const std::size_t begin = is_quoted ? at - 1 : at;
    text.replace(begin, (is_quoted ? end + 1 : end) - begin, fmt::format("{}", kTokenNow + offset));
  }
  return text;
}

std::string json_of(JsonValue value) {
  return with_times(std::string(value.is(JsonType::string) ? value.text() : value.raw()));
}

/// The token of a case; empty where its `sign` is not known.
std::string token_of(JsonValue test) {
  const std::string header = replaced(json_of(test.find("header")), R"("<evil public key>")",
                                      SigningKey::stranger().jwk());
  const std::string claims = json_of(test.find("claims"));
  const auto sign = [&](const SigningKey& key) {
    return mint(key, SignatureAlgorithm::es256, header, claims);
  };
  const std::string_view how = test.find("sign").text();
  const SigningKey& own = SigningKey::of(KeyKind::p256);
  if (how == "k1" || how == "k1, no DPoP proof" || how == "access_token in the query") {
    return sign(own);
  }
  if (how == "k-evil") return sign(SigningKey::stranger());
  if (how.empty() || how == "empty") return join_token(header, claims, "");
  if (how == "r=0,s=0") return join_token(header, claims, std::string(64, '\0'));
  if (how == "k1, padded base64") return sign(own) + "==";
  if (how == "k1, space before the token") return " " + sign(own);
  return "";
}

TEST(JwtClaimsCorpus, EachCaseComesOutAsExpected) {
  const auto path = corpus_file("jwt-claims/cases.jsonl");
  if (path.empty()) GTEST_SKIP() << "jwt-claims is absent";
  const std::map<std::string, std::string_view> want{
      {"ok", "accepted"},
      {"None", "algorithm_none"},
      {"empty-sig", "signature_missing"},
      {"unknown-kid", "unknown_key"},
      {"kid-sql", "unknown_key"},
      {"jwk", "embedded_key"},
      {"crit", "critical"},
      {"zip", "compressed"},
      {"aud-prefix", "audience_other"},
      {"aud-none", "audience_missing"},
      {"iss-other", "issuer_other"},
      {"exp-past", "expired"},
      {"exp-none", "expiry_missing"},
      {"exp-float", "expiry_malformed"},
      {"nbf-future", "not_yet_valid"},
      {"dup-claim", "claims_repeated"},
      {"sub-nul", "identifier_characters"},
      {"scope-array", "scope_malformed"},
      {"big", "too_long"},
      {"es-zero", "signature_range"},
      {"b64-pad", "signature_encoding"},
      {"ws", "header_encoding"},
      // The token is sound, and the place is not: `Authenticator::prove` refuses it there.
      {"query-token", "accepted"},
      {"dpop-bound", "confirmation_unknown"},
  };
  std::size_t judged = 0;
  for (const std::string& line : corpus_lines(path)) {
    JsonDocument document;
    const Bytes bytes(line);
    const auto test = document.read(bytes);
    ASSERT_TRUE(test.has_value()) << test.error().detail;
    const std::string id(test->find("id").text());
    SCOPED_TRACE(id);
    const std::string token = token_of(*test);
    ASSERT_FALSE(token.empty()) << "an unknown way to sign";
    ASSERT_TRUE(want.contains(id));
    const auto fault = fault_of(judge_corp_token(token));
    EXPECT_EQ(name_of(fault), want.at(id));
    const bool is_wanted = test->find("expect").text() == "accept";
    if (id != "query-token") EXPECT_EQ(!fault.has_value(), is_wanted);
    ++judged;
  }
  EXPECT_EQ(judged, want.size());
}

}  // namespace
}  // namespace bartizan
