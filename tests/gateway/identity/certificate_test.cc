#include "gateway/identity/certificate.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/runtime/loop.h"
#include "tests/gateway/net/authority.h"

namespace bartizan {
namespace {

std::vector<CertificateConfig> certificates() {
  return {{.name = "build",
           .principal = "ci",
           .names = {"dns:build.example.com", "uri:spiffe://example.org/build"},
           .where = {}},
          {.name = "mail", .principal = "ann", .names = {"email:ann@example.com"}, .where = {}},
          {.name = "deploy", .principal = "ci", .names = {"dns:Deploy.Example.com"}, .where = {}}};
}

class Certificate : public testing::Test {
 protected:
  std::string issue(const std::string& names) { return authority_.issue({.names = names}).der(); }
  Verification verify(const std::string& der, std::int64_t now) {
    const std::vector<std::string> shown{der, authority_.own().der()};
    const Credentials credentials{.endpoint = "desk", .certificates = shown};
    const CertificateVerifier verifier(certificates());
    EXPECT_TRUE(verifier.is_shown(credentials));
    Task<Verification> verifying = verifier.verify(loop_, credentials, now);
    EXPECT_TRUE(verifying.is_ready());
    return std::move(verifying.value());
  }

  Loop loop_{0};
  Authority authority_{"root"};
  std::int64_t now_ = std::time(nullptr);
};

TEST_F(Certificate, ProvesWhomItsNamesStandFor) {
  const struct {
    std::string_view name;
    std::string names;
    std::string_view want;  ///< The principal and the proof, or what is wrong.
  } rows[] = {
      {"a name of DNS", "DNS:build.example.com", "ci certificate:build"},
      {"in capitals", "DNS:BUILD.Example.com", "ci certificate:build"},
      {"configured in capitals", "DNS:deploy.example.com", "ci certificate:deploy"},
      {"one of several", "DNS:other.example.com,DNS:build.example.com", "ci certificate:build"},
      {"a SPIFFE id", "URI:spiffe://example.org/build", "ci certificate:build"},
      {"a SPIFFE id and a name of DNS", "URI:spiffe://example.org/build,DNS:x.example.com",
       "ci certificate:build"},
      {"an address of mail", "email:ann@example.com", "ann certificate:mail"},
      {"two names of one principal", "DNS:build.example.com,DNS:deploy.example.com",
       "ci certificate:build"},
      {"names of two principals", "DNS:build.example.com,email:ann@example.com",
       "the certificate has names of two principals"},
      {"two SPIFFE ids", "URI:spiffe://example.org/build,URI:spiffe://example.org/other",
       "the certificate has a SPIFFE id and another URI beside it"},
      {"a SPIFFE id and another URI", "URI:https://x.example.com,URI:spiffe://example.org/build",
       "the certificate has a SPIFFE id and another URI beside it"},
      {"no name", "", "no name of the certificate is configured"},
      {"another name", "DNS:other.example.com", "no name of the certificate is configured"},
      {"a name that begins so", "DNS:build.example.com.evil.example",
       "no name of the certificate is configured"},
      {"a name that ends so", "DNS:x.build.example.com",
       "no name of the certificate is configured"},
      {"a wildcard", "DNS:*.example.com", "no name of the certificate is configured"},
      {"a SPIFFE id of another domain", "URI:spiffe://example.net/build",
       "no name of the certificate is configured"},
      {"a SPIFFE id below it", "URI:spiffe://example.org/build/x",
       "no name of the certificate is configured"},
      {"the path in capitals", "URI:spiffe://example.org/Build",
       "no name of the certificate is configured"},
      {"a name of another type", "URI:build.example.com",
       "no name of the certificate is configured"},
      {"an address", "IP:192.0.2.1", "no name of the certificate is configured"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Verification verified = verify(issue(row.names), now_);
    if (!verified.has_value()) {
      EXPECT_EQ(verified.error().reason, Reason::credentials_invalid);
      EXPECT_EQ(verified.error().detail, row.want);
      continue;
    }
    EXPECT_EQ(verified->id + " " + verified->proof, row.want);
    EXPECT_EQ(verified->credential.kind, CredentialKind::certificate);
    EXPECT_NEAR(static_cast<double>(verified->credential.expires), static_cast<double>(now_ + 3600),
                5);
  }
}

TEST_F(Certificate, ProvesNothingOnceItHasExpired) {
  const std::string der = issue("DNS:build.example.com");
  const Verification early = verify(der, now_);
  ASSERT_TRUE(early.has_value());
  const std::int64_t end = early->credential.expires;
  EXPECT_TRUE(verify(der, end - 1).has_value());
  const Verification late = verify(der, end);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, Reason::credentials_expired);
  const Verification none = verify("no certificate", now_);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().reason, Reason::credentials_invalid);
}

// Beside a header it is what a token is bound to, and proves nobody by itself.
TEST_F(Certificate, IsNotLookedAtBesideAHeader) {
  const std::vector<std::string> shown{issue("DNS:build.example.com")};
  const CertificateVerifier verifier(certificates());
  EXPECT_TRUE(verifier.is_shown({.certificates = shown}));
  EXPECT_FALSE(verifier.is_shown({.authorization = "Bearer key", .certificates = shown}));
  EXPECT_FALSE(verifier.is_shown({.authorization = "", .certificates = shown}));
  EXPECT_FALSE(verifier.is_shown({}));
}

TEST_F(Certificate, IsReviewedByWhatIsConfiguredNow) {
  const Verification proved = verify(issue("DNS:build.example.com"), now_);
  ASSERT_TRUE(proved.has_value());
  const auto review = [&](const std::vector<CertificateConfig>& configured, std::int64_t now) {
    const auto reviewed = CertificateVerifier(configured).review(proved->credential, "ci", now);
    return reviewed.has_value() ? Reason::none : reviewed.error().reason;
  };
  std::vector<CertificateConfig> changed = certificates();
  EXPECT_EQ(review(changed, now_), Reason::none);
  EXPECT_EQ(review(changed, proved->credential.expires), Reason::credentials_expired);
  changed.front().names.pop_back();
  EXPECT_EQ(review(changed, now_), Reason::credentials_invalid) << "other names";
  changed = certificates();
  changed.front().principal = "ann";
  EXPECT_EQ(review(changed, now_), Reason::credentials_invalid) << "another principal";
  changed = certificates();
  changed.erase(changed.begin());
  EXPECT_EQ(review(changed, now_), Reason::credentials_invalid) << "gone";
}

}  // namespace
}  // namespace bartizan
