#include "gateway/identity/issuer_verifier.h"

#include <gtest/gtest.h>
#include <openssl/bn.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "audit/digest.h"
#include "gateway/identity/bearer_token.h"
#include "gateway/runtime/random.h"
#include "gateway/token/base64url.h"
#include "tests/config/folder.h"
#include "tests/gateway/token/judge_token.h"
#include "tests/shifted_time.h"

namespace bartizan {
namespace {

using std::chrono::seconds;

std::string key_set(std::string_view kid = "k1") {
  const std::string members = "\"kid\":\"" + std::string(kid) + "\",";
  return R"({"keys":[)" + SigningKey::of(KeyKind::p256).jwk(members) + "]}";
}

/// An issuer whose keys are in a file, on a clock that the test moves.
class ProveByIssuer : public testing::Test {
 protected:
  ProveByIssuer() {
    write_keys(key_set());
    config_ = corp_issuer();
    config_.jwks_file = folder_.name("keys.json");
  }

  void write_keys(const std::string& text) { folder_.write("keys.json", text); }

  IssuerVerifier verifier(const EndpointConfigs& endpoints = {}) {
    VerifierParts parts = parts_;
    parts.accepted = std::make_shared<const AcceptedCredentials>(endpoints);
    return {{config_}, std::move(parts)};
  }

  /// What is answered, once the loop has run; `has_waited` says whether it had to.
  Verification verify(const IssuerVerifier& verifier, const std::string& token,
                      std::optional<std::string_view> endpoint = "") {
    const std::string authorization = "Bearer " + token;
    const Credentials credentials{.authorization = authorization, .endpoint = endpoint};
    EXPECT_TRUE(verifier.is_shown(credentials));
    Task<Verification> verifying = verifier.verify(loop_, credentials, kTokenNow);
    has_waited_ = !verifying.is_ready();
    std::optional<Verification> answer;
    spawn(loop_, take(std::move(verifying), answer));
    loop_.run();
    loop_.io().restart();
    return std::move(*answer);
  }

  Task<void> take(Task<Verification> verifying, std::optional<Verification>& answer) {
    answer = co_await std::move(verifying);
    loop_.stop();
  }

  Reason reason_of(const Verification& verification) {
    return verification.has_value() ? Reason::none : verification.error().reason;
  }

  /// Many tokens whose keys nobody knows, over some windows of ten seconds.
  Task<void> flood(const IssuerVerifier& corp) {
    for (int i = 0; i < 100'000; ++i) {
      // Each fetch would find other keys.
      if (i % 1000 == 0) write_keys(key_set("f" + std::to_string(i)));
      if (i % 10'000 == 0) {
        time_.pass(std::chrono::seconds(2));
        co_await yield_turn(loop_);
      }
      const std::string header = token_header({{"kid", "\"x" + std::to_string(i) + "\""}});
      const std::string authorization = "Bearer " + join_token(header, token_claims(), "AAAA");
      const Verification refused =
          co_await corp.verify(loop_, {.authorization = authorization, .endpoint = ""}, kTokenNow);
      if (refused.has_value()) ADD_FAILURE() << i;
    }
    loop_.stop();
  }

  Folder folder_;
  ShiftedTime time_;
  LentTime lent_{time_};
  Loop loop_{0};
  VerifierParts parts_;
  IssuerConfig config_;
  bool has_waited_ = false;
};

TEST_F(ProveByIssuer, KnowsATokenAgainWithoutWaiting) {
  const IssuerVerifier corp = verifier();
  const std::string token = corp_token();
  const Verification first = verify(corp, token);
  ASSERT_TRUE(first.has_value()) << first.error().detail;
  EXPECT_TRUE(has_waited_) << "the keys were not known";
  EXPECT_EQ(first->id, "corp:u1");
  EXPECT_EQ(first->proof, "issuer:corp");
  EXPECT_EQ(first->credential.kind, CredentialKind::issuer);
  EXPECT_EQ(first->credential.name, "corp");
  const Verification second = verify(corp, token);
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(has_waited_);
  EXPECT_EQ(second->claims, first->claims) << "it was not made again";
  EXPECT_EQ(second->credential, first->credential);
  ASSERT_TRUE(verify(corp, corp_token({{"jti", R"("other")"}})).has_value());
  EXPECT_FALSE(has_waited_) << "the keys are known";
}

TEST_F(ProveByIssuer, TellsEachCauseToTheRecordAndOneOutside) {
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  const struct {
    std::string_view name;
    std::string token;
    Reason reason;
  } rows[] = {
      {"another issuer", corp_token({{"iss", R"("https://other.test")"}}),
       Reason::credentials_invalid},
      {"another audience", corp_token({{"aud", R"("https://other.test")"}}),
       Reason::credentials_invalid},
      {"expired",
       corp_token(
           {{"exp", std::to_string(kTokenNow - 100)}, {"iat", std::to_string(kTokenNow - 200)}}),
       Reason::credentials_expired},
      {"no token", "ey.ey.ey", Reason::credentials_invalid},
      {"too long", "ey." + std::string(kTokenBytesMax, 'x') + ".x", Reason::credentials_invalid},
  };
  std::string before;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Verification refused = verify(corp, row.token);
    EXPECT_EQ(reason_of(refused), row.reason);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().detail, "");
    EXPECT_NE(refused.error().detail, before);
    before = refused.error().detail;
    EXPECT_FALSE(has_waited_);
  }
}

TEST_F(ProveByIssuer, TakesTheIssuersThatTheEndpointNames) {
  const EndpointConfigs endpoints{
      {"corp", {.name = "corp", .path = "/a", .auth = {"issuer.corp"}}},
      {"all", {.name = "all", .path = "/b", .auth = {"issuer"}}},
      {"other", {.name = "other", .path = "/c", .auth = {"issuer.other"}}}};
  const IssuerVerifier corp = verifier(endpoints);
  EXPECT_TRUE(verify(corp, corp_token(), "corp").has_value());
  EXPECT_TRUE(verify(corp, corp_token(), "all").has_value());
  // The token is known by now, and still is none there: nothing of its issuer is looked at.
  const std::string unknown = corp_token({{"jti", R"("new")"}});
  const Verification refused = verify(corp, unknown, "other");
  EXPECT_EQ(reason_of(refused), Reason::credentials_invalid);
  EXPECT_EQ(refused.error().detail, entry_of(TokenFault::issuer_other).sentence);
}

TEST_F(ProveByIssuer, AsksForKeysThatItDoesNotKnowOnceInAWhile) {
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  write_keys(key_set("k2"));
  const auto with_k2 = [](std::string_view jti) {
    return corp_token({{"jti", '"' + std::string(jti) + '"'}}, {{"kid", R"("k2")"}});
  };
  // A moment ago the issuer was asked, and may have another key since: that is no verdict.
  EXPECT_EQ(reason_of(verify(corp, with_k2("a"))), Reason::issuer_unavailable);
  time_.pass(IssuerKeys::kPause - seconds(1));
  EXPECT_EQ(reason_of(verify(corp, with_k2("b"))), Reason::issuer_unavailable);
  EXPECT_TRUE(verify(corp, corp_token()).has_value()) << "the old key is still used";
  time_.pass(seconds(2));
  EXPECT_TRUE(verify(corp, with_k2("c")).has_value());
  // What was proved by a key that is gone is proved no more.
  time_.pass(IssuerKeys::kPause);
  EXPECT_EQ(reason_of(verify(corp, corp_token())), Reason::credentials_invalid);
}

TEST_F(ProveByIssuer, AsksOnceForAFloodOfUnknownKeys) {
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  const auto known_now = [this] {
    return parts_.issuer_keys->find_or_make(config_)->known(steady_now());
  };
  const std::uint64_t first = known_now().version;
  const auto begun = steady_now();
  spawn(loop_, flood(corp));
  loop_.run();
  loop_.io().restart();
  const auto known = known_now();
  const auto windows = static_cast<std::uint64_t>((steady_now() - begun) / IssuerKeys::kPause);
  EXPECT_GE(known.version, first + 1) << "the control: keys were fetched";
  EXPECT_LE(known.version, first + 1 + windows) << "once in ten seconds";
  EXPECT_LE(parts_.proved_tokens->size(), 1U) << "nothing is kept of them";
}

TEST_F(ProveByIssuer, RefusesTokensForOtherEndpoints) {
  config_.audiences = {"https://gw.test/mcp", "https://gw.test/people", "api://gateway"};
  const EndpointConfigs endpoints{
      {"mcp", {.name = "mcp", .path = "/mcp", .resource = "https://gw.test/mcp"}},
      {"people", {.name = "people", .path = "/people", .resource = "https://gw.test/people"}},
      {"without", {.name = "without", .path = "/without"}}};
  const IssuerVerifier corp = verifier(endpoints);
  const struct {
    std::string_view name, audience, endpoint;
    bool is_accepted;
  } rows[] = {
      {"its own resource", R"("https://gw.test/mcp")", "mcp", true},
      {"that of another endpoint", R"("https://gw.test/mcp")", "people", false},
      {"both", R"(["https://gw.test/mcp","https://gw.test/people"])", "people", true},
      {"one that is of no endpoint", R"("api://gateway")", "people", true},
      {"at an endpoint without a resource", R"("https://gw.test/mcp")", "without", false},
      {"of no endpoint, at one without a resource", R"("api://gateway")", "without", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string token = corp_token({{"aud", std::string(row.audience)}});
    // Twice: what is remembered of a token is so for its endpoint alone.
    EXPECT_EQ(verify(corp, token, row.endpoint).has_value(), row.is_accepted);
    EXPECT_EQ(verify(corp, token, row.endpoint).has_value(), row.is_accepted);
  }
}

TEST_F(ProveByIssuer, ForgetsWhatKeysOfBeforeProved) {
  const std::string token = corp_token();
  {
    ASSERT_TRUE(verify(verifier(), token).has_value());
  }
  // The issuer leaves the configuration, its keys change, and it comes back as it was.
  write_keys(key_set("k2"));
  EXPECT_EQ(reason_of(verify(verifier(), token)), Reason::credentials_invalid);
}

TEST_F(ProveByIssuer, FetchesAKeyThatWasReplacedUnderItsName) {
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  const std::string other = R"({"keys":[)" + SigningKey::stranger().jwk(R"("kid":"k1",)") + "]}";
  write_keys(other);
  const std::string token =
      mint(SigningKey::stranger(), SignatureAlgorithm::es256, token_header(), token_claims());
  EXPECT_EQ(reason_of(verify(corp, token)), Reason::credentials_invalid);
  time_.pass(IssuerKeys::kRefresh + seconds(1));
  EXPECT_EQ(reason_of(verify(corp, token)), Reason::credentials_invalid) << "it has them fetched";
  EXPECT_TRUE(verify(corp, token).has_value());
}

TEST_F(ProveByIssuer, KeepsKnownKeysWhileTheIssuerIsDownAndNoLonger) {
  config_.keys_max_age = std::chrono::hours(2);
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  std::filesystem::remove(folder_.name("keys.json"));
  for (int minute = 0; minute < 60; ++minute) {
    time_.pass(std::chrono::minutes(1));
    ASSERT_TRUE(verify(corp, corp_token()).has_value()) << minute;
  }
  // Nobody can say what a key is worth that nobody could ask for.
  EXPECT_EQ(reason_of(verify(corp, corp_token({}, {{"kid", R"("k2")"}}))),
            Reason::issuer_unavailable);
  time_.pass(std::chrono::minutes(61));
  EXPECT_EQ(reason_of(verify(corp, corp_token({{"jti", R"("late")"}}))),
            Reason::issuer_unavailable);
  write_keys(key_set());
  time_.pass(IssuerKeys::kPause);
  EXPECT_TRUE(verify(corp, corp_token({{"jti", R"("later")"}})).has_value());
}

TEST_F(ProveByIssuer, RefreshesKeysWithoutAnybodyWaiting) {
  const IssuerVerifier corp = verifier();
  ASSERT_TRUE(verify(corp, corp_token()).has_value());
  write_keys(key_set("k2"));
  time_.pass(IssuerKeys::kRefresh + seconds(1));
  EXPECT_TRUE(verify(corp, corp_token({{"jti", R"("a")"}})).has_value());
  EXPECT_FALSE(has_waited_);
  EXPECT_TRUE(verify(corp, corp_token({}, {{"kid", R"("k2")"}})).has_value());
  EXPECT_FALSE(has_waited_) << "they were fetched meanwhile";
}

TEST_F(ProveByIssuer, ReviewsWhatItProvedUnderTheTermsOfNow) {
  const Verification proved = verify(verifier(), corp_token());
  ASSERT_TRUE(proved.has_value());
  const auto review = [&](std::int64_t now) {
    const auto reviewed = verifier().review(proved->credential, proved->id, now);
    return reviewed.has_value() ? Reason::none : reviewed.error().reason;
  };
  EXPECT_EQ(review(kTokenNow), Reason::none);
  EXPECT_EQ(review(proved->credential.expires - 1), Reason::none);
  EXPECT_EQ(review(proved->credential.expires), Reason::credentials_expired);
  config_.roles["scope"]["tools:read"] = {"admin"};
  EXPECT_EQ(review(kTokenNow), Reason::credentials_invalid) << "it may be somebody else now";
  config_ = corp_issuer();
  config_.name = "other";
  EXPECT_EQ(review(kTokenNow), Reason::credentials_invalid) << "it is not configured any more";
}

TEST_F(ProveByIssuer, LooksAtWhatIsShapedAsAToken) {
  const IssuerVerifier corp = verifier();
  const struct {
    std::string_view authorization;
    bool is_shown;
  } rows[] = {{"Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", true},
              {"bearer eyJhbGciOiJIUzI1NiJ9.e30.", true},
              {"Bearer ey.a.b.c.d", true},
              {"Bearer bz_0123456789", false},
              {"Bearer ey", false},
              {"Basic eyJhbGciOiJIUzI1NiJ9.e30.x", false},
              {"Bearer", false},
              {"", false}};
  for (const auto& row : rows)
    EXPECT_EQ(corp.is_shown({.authorization = row.authorization}), row.is_shown)
        << row.authorization;
  EXPECT_FALSE(corp.is_shown({}));
}

TEST(ProvedTokens, AreBounded) {
  ProvedTokens tokens(100);
  const auto identity = std::make_shared<const TokenIdentity>(TokenIdentity{.expires = 10});
  Random random;
  for (int i = 0; i < 100'000; ++i) {
    const Hash digest = random.draw<32>();
    tokens.remember(digest, {.identity = identity});
    ASSERT_LE(tokens.size(), 100U);
    ASSERT_TRUE(tokens.find(digest, 9).has_value()) << "the newest one is there";
    ASSERT_FALSE(tokens.find(digest, 10).has_value()) << "it has expired";
  }
  EXPECT_GE(tokens.size(), 50U);
}

/// The other signature of the same content by the same key: r, and the order of P-256 less s.
std::string with_other_signature(const std::string& token) {
  const std::size_t dot = token.rfind('.');
  const std::string signature = *decode_base64url(std::string_view(token).substr(dot + 1));
  const auto* s = reinterpret_cast<const unsigned char*>(signature.data()) + 32;
  BIGNUM* order = nullptr;
  BN_hex2bn(&order, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");
  BIGNUM* other = BN_bin2bn(s, 32, nullptr);
  BN_sub(other, order, other);
  std::string turned = signature.substr(0, 32) + std::string(32, '\0');
  BN_bn2binpad(other, reinterpret_cast<unsigned char*>(turned.data()) + 32, 32);
  BN_free(order);
  BN_free(other);
  return token.substr(0, dot + 1) + encode_base64url(turned);
}

// Who revokes one of the two means both.
TEST_F(ProveByIssuer, BothSignaturesOfATokenAreOneToken) {
  const std::string token = corp_token();
  const std::string other = with_other_signature(token);
  ASSERT_NE(token, other);
  const IssuerVerifier corp = verifier();
  const Verification one = verify(corp, token);
  const Verification two = verify(corp, other);
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(two.has_value()) << "no longer accepted: then this row is not needed";
  EXPECT_EQ(one->credential.digest, two->credential.digest);
  EXPECT_EQ(one->credential.digest, Digester().sha256(token.substr(0, token.rfind('.'))));
  // A wrong one is none of the two, and what was proved before says nothing of it.
  std::string wrong = token;
  wrong.back() = wrong.back() == 'A' ? 'Q' : 'A';
  EXPECT_EQ(reason_of(verify(corp, wrong)), Reason::credentials_invalid);
}

}  // namespace
}  // namespace bartizan
