#include "gateway/approval/approval_proof.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "audit/record_members.h"
#include "gateway/token/signed_token.h"
#include "tests/gateway/token/made_keys.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;

class ApprovalProofTest : public testing::Test {
 protected:
  ApprovalProofTest() {
    step_.request = {.id = "the-id",
                     .state = ApprovalState::approved,
                     .principal = "ann",
                     .server = "files",
                     .method = "tools/call",
                     .target = "write",
                     .rule = "writes",
                     .policy = "4e07",
                     .salt = "5a17",
                     .digest = "d16e57",
                     .params = "9a7a",
                     .expires = kNow + 1500,
                     .shown = R"({"arguments":{"path":"/secret"}})",
                     .ends_at = kNow + 600};
    step_.answer = &answer_;
  }

  ApprovalAnswer answer_{.approver = "bob", .approves = true, .why = "looked at it", .at = kNow};
  ApprovalStep step_;
};

TEST_F(ApprovalProofTest, SaysWhoDecidedWhatOfWhichCall) {
  EXPECT_EQ(decision_claims(step_, "k1"),
            R"({"iss":"k1","iat":1795262400,"exp":1795263000,"approval":"the-id",)"
            R"("digest":"d16e57","principal":"ann","server":"files","method":"tools/call",)"
            R"("target":"write","rule":"writes","policy":"4e07","decision":"approve",)"
            R"("approver":"bob","state":"approved"})");
}

TEST_F(ApprovalProofTest, SaysWhereTheRequestStandsThen) {
  step_.request.endpoint = "desk";
  step_.request.state = ApprovalState::denied;
  answer_.approves = false;
  const std::string denied = decision_claims(step_, "k1");
  EXPECT_TRUE(denied.contains(R"("decision":"deny","approver":"bob","state":"denied")")) << denied;
  EXPECT_TRUE(denied.contains(R"("exp":1795263900)")) << denied;
  EXPECT_TRUE(denied.contains(R"("endpoint":"desk")")) << denied;
  step_.request.state = ApprovalState::pending;
  answer_.approves = true;
  answer_.proof = "a.b.c";
  const std::string first = decision_claims(step_, "k1");
  EXPECT_TRUE(first.contains(R"("decision":"approve")")) << first;
  EXPECT_TRUE(first.contains(R"("state":"pending","signed":"a.b.c")")) << first;
}

TEST_F(ApprovalProofTest, FitsIntoARecord) {
  const auto key = RecordKey::read(private_pem(make_ed25519_key()));
  ASSERT_TRUE(key.has_value());
  const std::string escaped(256, '\x01');
  step_.request.principal = escaped;
  step_.request.endpoint = escaped;
  step_.request.target = std::string(kTargetClaimMax, '\x01');
  answer_.approver = escaped;
  answer_.proof = std::string(4096, 'a');
  const auto longest = sign_decision(*key, step_);
  ASSERT_TRUE(longest.has_value());
  EXPECT_LE(longest->size(), kProofMax);
  step_.request.target += 'x';
  const std::string claims = decision_claims(step_, "k1");
  EXPECT_FALSE(claims.contains(R"("target":)"));
  EXPECT_TRUE(claims.contains(R"("target_sha256":")"));
}

TEST_F(ApprovalProofTest, OfAKeyIsSignedByTheOneBeforeIt) {
  const auto key = RecordKey::read(private_pem(make_ed25519_key()));
  const auto before = RecordKey::read(private_pem(make_ed25519_key()));
  ASSERT_TRUE(key.has_value() && before.has_value());
  const auto claims_of = [&](const RecordKey* previous, std::string_view want_signer) {
    const auto jws = sign_key_statement(*key, previous, kNow);
    const auto token = SignedToken::read(*jws, kSigningKeyType);
    EXPECT_EQ(token->jws().header.key_id, want_signer);
    return std::string(token->claims().raw());
  };
  const std::string statement =
      R"(,"iat":1795262400,"kid":")" + key->id() + R"(","jwk":)" + key->jwk();
  EXPECT_EQ(claims_of(&*before, before->id()), R"({"iss":")" + before->id() + '"' + statement +
                                                   R"(,"previous":")" + before->id() + R"("})");
  EXPECT_EQ(claims_of(nullptr, key->id()), R"({"iss":")" + key->id() + '"' + statement + '}');
}

}  // namespace
}  // namespace bartizan
