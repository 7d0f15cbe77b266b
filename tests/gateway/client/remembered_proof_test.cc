#include "gateway/client/remembered_proof.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/policy/sample.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;

class RememberedProofTest : public testing::Test {
 protected:
  SnapshotPtr snapshot() {
    const Config config = sample_config();
    auto policy = compile_policy(config, sample_names());
    return std::make_shared<const Snapshot>(
        Snapshot{.config = config,
                 .policy = policy,
                 .authenticator = Authenticator(config.auth, policy, living_)});
  }

  static Authenticated caller(std::int64_t expires = kNeverExpires) {
    return {.principal = std::make_shared<const Principal>(Principal{.id = "ann"}),
            .proof = "api_key:laptop",
            .credential = {.endpoint = "desk", .expires = expires}};
  }

  LivingPrincipals living_;
};

TEST_F(RememberedProofTest, HoldsForWhatWasShownThereUnderThatConfiguration) {
  const SnapshotPtr present = snapshot();
  const SnapshotPtr other = snapshot();
  const Credentials shown{.authorization = "Bearer key-of-ann", .endpoint = "desk"};
  const struct {
    std::string_view name;
    Credentials credentials;
    SnapshotPtr under;
    std::int64_t now;
    std::int64_t expires;
    bool is_known;
    std::uint64_t revocations = 7;
  } rows[] = {
      {"the same", shown, present, kNow, kNeverExpires, true},
      {"at its last second", shown, present, kNow + 29, kNeverExpires, true},
      {"after its time", shown, present, kNow + 30, kNeverExpires, false},
      {"a second before it expires", shown, present, kNow + 4, kNow + 5, true},
      {"when it expires", shown, present, kNow + 5, kNow + 5, false},
      {"under another configuration", shown, other, kNow, kNeverExpires, false},
      {"at another endpoint",
       {.authorization = shown.authorization, .endpoint = "build"},
       present,
       kNow,
       kNeverExpires,
       false},
      {"at none", {.authorization = shown.authorization}, present, kNow, kNeverExpires, false},
      {"another one",
       {.authorization = "Bearer key-of-bob", .endpoint = "desk"},
       present,
       kNow,
       kNeverExpires,
       false},
      {"a longer one",
       {.authorization = "Bearer key-of-ann2", .endpoint = "desk"},
       present,
       kNow,
       kNeverExpires,
       false},
      {"the beginning of it",
       {.authorization = "Bearer key-of-an", .endpoint = "desk"},
       present,
       kNow,
       kNeverExpires,
       false},
      {"nothing", {.endpoint = "desk"}, present, kNow, kNeverExpires, false},
      {"after something was revoked", shown, present, kNow, kNeverExpires, false, 8},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    RememberedProof proof;
    proof.keep(shown, present, caller(row.expires), {.now = kNow, .revocations = 7});
    const RememberedProof::Moment moment{.now = row.now, .revocations = row.revocations};
    const Authenticated* found = proof.find(row.credentials, row.under, moment);
    ASSERT_EQ(found != nullptr, row.is_known);
    if (found != nullptr) EXPECT_EQ(found->principal->id, "ann");
    proof.forget();
    EXPECT_EQ(proof.find(row.credentials, row.under, moment), nullptr);
  }
}

// A proxy's connection carries requests of several clients; and a token that is bound to one
// certificate is worth nothing beside another.
TEST_F(RememberedProofTest, HoldsForTheCertificateThatWasShownWithIt) {
  const SnapshotPtr present = snapshot();
  const std::vector<std::string> one{"certificate of one", "its authority"};
  const std::vector<std::string> other{"certificate of two", "its authority"};
  const std::vector<std::string> longer{"certificate of one and more"};
  const Credentials both{.authorization = "Bearer token", .endpoint = "desk", .certificates = one};
  const Credentials alone{.endpoint = "desk", .certificates = one};
  const Credentials header{.authorization = "Bearer token", .endpoint = "desk"};
  const struct {
    std::string_view name;
    Credentials kept;
    Credentials shown;
    bool is_known;
  } rows[] = {
      {"both", both, both, true},
      {"the header with another certificate",
       both,
       {.authorization = "Bearer token", .endpoint = "desk", .certificates = other},
       false},
      {"the header with none", both, header, false},
      {"the certificate without the header", both, alone, false},
      {"a certificate alone", alone, alone, true},
      {"another certificate", alone, {.endpoint = "desk", .certificates = other}, false},
      {"one that begins so", alone, {.endpoint = "desk", .certificates = longer}, false},
      {"the certificate at another endpoint",
       alone,
       {.endpoint = "build", .certificates = one},
       false},
      {"a header beside it", alone, both, false},
      {"an empty header beside it",
       alone,
       {.authorization = "", .endpoint = "desk", .certificates = one},
       false},
      {"no certificate", alone, {.endpoint = "desk"}, false},
      {"a header without its certificate, and then with one", header, both, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    RememberedProof proof;
    proof.keep(row.kept, present, caller(), {.now = kNow});
    EXPECT_EQ(proof.find(row.shown, present, {.now = kNow}) != nullptr, row.is_known);
    proof.forget();
    EXPECT_EQ(proof.find(row.shown, present, {.now = kNow}), nullptr);
  }
}

TEST_F(RememberedProofTest, KeepsNothingLong) {
  const SnapshotPtr present = snapshot();
  const std::string longer(RememberedProof::kBytesMax + 1, 'x');
  RememberedProof proof;
  const Credentials credentials{.authorization = longer, .endpoint = "desk"};
  proof.keep(credentials, present, caller(), {.now = kNow});
  EXPECT_EQ(proof.find(credentials, present, {.now = kNow}), nullptr);
  const Credentials none{.endpoint = "desk"};
  proof.keep(none, present, caller(), {.now = kNow});
  EXPECT_EQ(proof.find(none, present, {.now = kNow}), nullptr)
      << "who showed nothing is asked each time";
  const std::vector<std::string> large{std::string(RememberedProof::kCertificateMax + 1, 'x')};
  const Credentials certificate{.endpoint = "desk", .certificates = large};
  proof.keep(certificate, present, caller(), {.now = kNow});
  EXPECT_EQ(proof.find(certificate, present, {.now = kNow}), nullptr);
  const Credentials empty{.authorization = "", .endpoint = "desk"};
  proof.keep(empty, present, caller(), {.now = kNow});
  EXPECT_EQ(proof.find(empty, present, {.now = kNow}), nullptr);
}

}  // namespace
}  // namespace bartizan
