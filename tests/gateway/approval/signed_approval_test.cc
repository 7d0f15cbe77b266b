#include "gateway/approval/signed_approval.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/digest.h"
#include "gateway/approval/approval_proof.h"
#include "gateway/token/base64url.h"
#include "gateway/token/pem_key.h"
#include "tests/gateway/token/made_keys.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;
constexpr std::string_view kId = "0192f0c1-0000-7000-8000-000000000001";
const std::string kDigest(64, 'a');

/// A JSON object from its members.
std::string object(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string json;
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    json += json.empty() ? '{' : ',';
    json.append(1, '"').append(name).append("\":").append(value);
  }
  return json.empty() ? "{}" : json + '}';
}

std::string json_text(std::string_view text) {
  return '"' + std::string(text) + '"';
}

class SignedApprovalTest : public testing::Test {
 protected:
  SignedApprovalTest() {
    add_signer("desk", "ann", desk_);
    add_signer("night", "bob", night_);
    pending_.id = kId;
    pending_.digest = kDigest;
  }

  void add_signer(const std::string& name, const std::string& principal, const MadeKey& key) {
    auto read = read_signer_key(public_pem(key));
    signers_.push_back({.name = name, .principal = principal, .key = *std::move(read)});
  }

  struct Parts {
    std::string algorithm = R"("EdDSA")";
    std::string type = json_text(kApprovalType);
    std::string key_id = {};  ///< That of the key that signs, unless it says something else.
    std::string more = {};    ///< Of the header: a member.
    std::string approval = json_text(kId);
    std::string digest = json_text(kDigest);
    std::string decision = R"("approve")";
    std::string approver = {};
    std::string expires = std::to_string(kNow + 60);
    std::string issued = std::to_string(kNow);
  };

  static std::string sign(const MadeKey& key, Parts parts) {
    const auto own = RecordKey::read(private_pem(key));
    if (parts.key_id.empty()) parts.key_id = json_text(own->id());
    const std::string header = object({{"alg", parts.algorithm},
                                       {"kid", parts.key_id},
                                       {"typ", parts.type},
                                       {"crit", parts.more}});
    const std::string claims = object({{"approval", parts.approval},
                                       {"digest", parts.digest},
                                       {"decision", parts.decision},
                                       {"approver", parts.approver},
                                       {"exp", parts.expires},
                                       {"iat", parts.issued}});
    std::string text = encode_base64url(header) + '.' + encode_base64url(claims);
    text += '.' + encode_base64url(sign_bytes(key.get(), nullptr, text));
    return text;
  }

  /// By whose key it approves what waits, or why it does not.
  std::string check(std::string_view text) const {
    const auto checked = check_signed_approval(text, signers_, &pending_, kNow);
    return checked.has_value() ? (*checked)->name : checked.error();
  }

  MadeKey desk_ = make_ed25519_key();
  MadeKey night_ = make_ed25519_key();
  MadeKey stranger_ = make_ed25519_key();
  std::vector<SignerKey> signers_;
  ApprovalRequest pending_;
};

TEST_F(SignedApprovalTest, ApprovesExactlyWhatItNames) {
  const std::string another = json_text("0192f0c1-0000-7000-8000-000000000002");
  const std::string kOver = "it is for another request, or for one that is over";
  const struct {
    std::string_view name;
    Parts parts;
    std::string want;
  } rows[] = {
      {"as it should be", {}, "desk"},
      {"its approver is its key's", {.approver = R"("ann")"}, "desk"},
      {"it expires in a second", {.expires = std::to_string(kNow + 1)}, "desk"},
      {"a clock that is a minute ahead", {.issued = std::to_string(kNow + 60)}, "desk"},
      {"a denial", {.decision = R"("deny")"}, "its decision is not an approval"},
      {"what the record calls it", {.decision = R"("permit")"}, "its decision is not an approval"},
      {"no decision", {.decision = ""}, "its decision is not an approval"},
      {"a decision that is not a text", {.decision = "true"}, "its decision is not an approval"},
      {"somebody else approves",
       {.approver = R"("bob")"},
       "its approver is not the key's principal"},
      {"an approver that is not a text",
       {.approver = "null"},
       "its approver is not the key's principal"},
      {"another request", {.approval = another}, kOver},
      {"no request", {.approval = ""}, kOver},
      {"another call", {.digest = json_text(std::string(64, 'b'))}, "it is for another call"},
      {"a part of the digest",
       {.digest = json_text(std::string(63, 'a'))},
       "it is for another call"},
      {"no digest", {.digest = ""}, "it is for another call"},
      {"it expires now", {.expires = std::to_string(kNow)}, "it has expired (exp)"},
      {"it never expires", {.expires = ""}, "it has no expiry in whole seconds (exp)"},
      {"an expiry that is a text",
       {.expires = json_text(std::to_string(kNow + 60))},
       "it has no expiry in whole seconds (exp)"},
      {"a clock that is farther ahead",
       {.issued = std::to_string(kNow + 61)},
       "it was issued in the future (iat)"},
      {"no time of issue", {.issued = ""}, "it has no time of issue in whole seconds (iat)"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(check(sign(desk_, row.parts)), row.want);
  }
  EXPECT_EQ(check(sign(night_, {})), "night");
}

TEST_F(SignedApprovalTest, IsSignedByAConfiguredKey) {
  const auto desk_id = json_text(*signers_.front().key.id);
  const std::string kNone = "it names no key of [approvals] (kid)";
  const struct {
    std::string_view name;
    std::string text;
    std::string want;
  } rows[] = {
      {"a stranger's", sign(stranger_, {}), kNone},
      {"a stranger's under another name", sign(stranger_, {.key_id = desk_id}),
       "the token's signature is wrong"},
      {"another approver's under this name", sign(night_, {.key_id = desk_id}),
       "the token's signature is wrong"},
      {"without a name", sign(desk_, {.key_id = "null"}),
       "the token names its key by no text of up to 512 plain bytes"},
      {"under the name of its table", sign(desk_, {.key_id = R"("desk")"}), kNone},
      {"not signed at all", sign(desk_, {.algorithm = R"("none")"}),
       "the token says that it is not signed"},
      {"by a shared secret", sign(desk_, {.algorithm = R"("HS256")"}),
       "the token is signed by a shared secret, and only public keys are accepted"},
      {"by another algorithm", sign(desk_, {.algorithm = R"("ES256")"}),
       "the token is signed by an algorithm that its issuer may not use"},
      {"by an algorithm in another spelling", sign(desk_, {.algorithm = R"("EDDSA")"}),
       "the token is signed by an algorithm that is not known"},
      {"of another type", sign(desk_, {.type = R"("JWT")"}),
       "the token's header says that it is another kind of token"},
      {"about a key", sign(desk_, {.type = json_text(kSigningKeyType)}),
       "the token's header says that it is another kind of token"},
      {"of no type", sign(desk_, {.type = ""}),
       "the token's header says that it is another kind of token"},
      {"with an extension", sign(desk_, {.more = R"(["b64"])"}),
       "the token needs extensions that are not supported (crit)"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(check(row.text), row.want);
  }
}

TEST_F(SignedApprovalTest, IsOneShortWholeText) {
  const std::string good = sign(desk_, {});
  std::string changed = good;
  changed[good.find('.') + 5] ^= 1;
  EXPECT_NE(check(changed), "desk");
  EXPECT_EQ(check(""), "the token is empty");
  EXPECT_EQ(check("yes"), "the token has not three parts with a point between them");
  EXPECT_EQ(check(good.substr(0, good.rfind('.') + 1)), "the token has no signature");
  EXPECT_EQ(check(good + "="), "the token's signature is not unpadded base64url");
  const Parts long_one{.approver = json_text(std::string(3000, 'x'))};
  EXPECT_EQ(check(sign(desk_, long_one)), "it is longer than 4 KiB");
}

TEST_F(SignedApprovalTest, IsForARequestThatWaits) {
  const auto checked = check_signed_approval(sign(desk_, {}), signers_, nullptr, kNow);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error(), "it is for another request, or for one that is over");
}

TEST_F(SignedApprovalTest, IsToldFromWhatIsForTheServer) {
  const std::string good = sign(desk_, {});
  const struct {
    std::string_view name;
    std::string text;
    bool want;
  } rows[] = {
      {"one of ours", good, true},
      {"one of ours that nobody would take", sign(stranger_, {.algorithm = R"("none")"}), true},
      {"somebody's id", "admin_user_id", false},
      {"a name with points", "ann.b.c", false},
      {"another token", sign(desk_, {.type = R"("JWT")"}), false},
      {"a token without a type", sign(desk_, {.type = ""}), false},
      {"nothing", "", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(is_signed_approval(row.text), row.want);
  }
}

}  // namespace
}  // namespace bartizan
