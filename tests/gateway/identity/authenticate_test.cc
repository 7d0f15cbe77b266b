#include "gateway/identity/authenticate.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <optional>
#include <string>

#include "gateway/runtime/loop.h"
#include "gateway/runtime/random.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using Outcome = std::expected<Authenticated, AuthenticationFailure>;

constexpr std::int64_t kNow = 1'795'262'400;

std::string sha256(std::string_view text) {
  std::array<std::uint8_t, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return KeyedDigest::hex(digest);
}

ApiKeyConfig key(std::string name, std::string principal, std::string_view secret,
                 std::optional<std::int64_t> expires = std::nullopt) {
  return {.name = std::move(name),
          .principal = std::move(principal),
          .sha256 = sha256(secret),
          .expires = expires,
          .where = {}};
}

AuthConfig keys() {
  AuthConfig config;
  config.api_keys = {key("laptop", "ann", "key-of-ann"), key("old", "ann", "old-key", kNow),
                     key("lasting", "dan", "key-of-dan", kNow + 1),
                     key("orphan", "nobody", "key-of-nobody")};
  return config;
}

class Authenticate : public testing::Test {
 protected:
  Outcome authenticate(const AuthConfig& config, const Credentials& credentials) const {
    const Authenticator authenticator(config);
    return authenticator.authenticate(*policy_, credentials, kNow);
  }

 private:
  std::shared_ptr<const Policy> policy_ = compile_policy(sample_config(), sample_names());
};

TEST_F(Authenticate, ProvesByKey) {
  const struct {
    std::string_view name;
    std::string_view authorization;
    std::string_view principal;
    std::string_view proof;
  } cases[] = {
      {"a key", "Bearer key-of-ann", "ann", "api_key:laptop"},
      {"the scheme in lower case", "bearer key-of-ann", "ann", "api_key:laptop"},
      {"the scheme in any case", "bEaReR key-of-ann", "ann", "api_key:laptop"},
      {"a second before it expires", "Bearer key-of-dan", "dan", "api_key:lasting"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Outcome outcome = authenticate(keys(), {.authorization = c.authorization});
    ASSERT_TRUE(outcome.has_value()) << outcome.error().detail;
    EXPECT_EQ(outcome->principal->id, c.principal);
    EXPECT_EQ(outcome->proof, c.proof);
  }
}

// Each failure ends there: no other way of proving is tried after it.
TEST_F(Authenticate, RefusesWithTheCause) {
  const std::string long_key = "Bearer " + std::string(513, 'k');
  using Text = std::optional<std::string_view>;
  const struct {
    std::string_view name;
    Text authorization;
    std::string_view query;
    Reason reason;
  } cases[] = {
      {"nothing", std::nullopt, "", Reason::unauthenticated},
      {"an empty header", "", "", Reason::credentials_invalid},
      {"the scheme alone", "Bearer", "", Reason::credentials_invalid},
      {"no token", "Bearer ", "", Reason::credentials_invalid},
      {"the key alone", "key-of-ann", "", Reason::credentials_invalid},
      {"another scheme", "Basic key-of-ann", "", Reason::credentials_invalid},
      {"a tab behind the scheme", "Bearer\tkey-of-ann", "", Reason::credentials_invalid},
      {"two spaces", "Bearer  key-of-ann", "", Reason::credentials_invalid},
      {"a space behind", "Bearer key-of-ann ", "", Reason::credentials_invalid},
      {"two keys", "Bearer key-of-ann key-of-dan", "", Reason::credentials_invalid},
      {"an unknown key", "Bearer key-of-bob", "", Reason::credentials_invalid},
      {"a prefix of a key", "Bearer key-of-an", "", Reason::credentials_invalid},
      {"a key in another letter case", "Bearer Key-of-ann", "", Reason::credentials_invalid},
      {"a key that is too long to hash", long_key, "", Reason::credentials_invalid},
      {"at the second it expires", "Bearer old-key", "", Reason::credentials_expired},
      {"a principal that is not configured", "Bearer key-of-nobody", "", Reason::principal_unknown},
      {"a token in the URL", std::nullopt, "access_token=key-of-ann", Reason::credentials_invalid},
      {"a token in the URL beside a good key", "Bearer key-of-ann", "a=1&access_token=x",
       Reason::credentials_invalid},
      {"an empty token in the URL", "Bearer key-of-ann",
       "access_token=", Reason::credentials_invalid},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Outcome outcome =
        authenticate(keys(), {.authorization = c.authorization, .query = c.query});
    ASSERT_FALSE(outcome.has_value()) << outcome->principal->id;
    EXPECT_EQ(outcome.error().reason, c.reason);
    EXPECT_EQ(outcome.error().detail.find("key-of"), std::string::npos) << "no secret in details";
    EXPECT_FALSE(outcome.error().detail.empty());
  }
}

TEST_F(Authenticate, ADigestIsNoKey) {
  const std::string shown = "Bearer " + sha256("key-of-ann");
  const Outcome outcome = authenticate(keys(), {.authorization = shown});
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().reason, Reason::credentials_invalid);
}

TEST_F(Authenticate, AKeyWhoseDigestIsMalformedIsNobodys) {
  for (const std::string& digest :
       {std::string(), std::string(63, '0'), std::string(65, '0'), std::string(64, 'g'), [] {
          std::string upper = sha256("secret");
          for (char& c : upper)
            if (c >= 'a') c = static_cast<char>(c - 'a' + 'A');
          return upper;
        }()}) {
    SCOPED_TRACE(digest);
    AuthConfig config;
    config.api_keys = {{.name = "bad", .principal = "ann", .sha256 = digest, .where = {}}};
    const Outcome outcome = authenticate(config, {.authorization = "Bearer secret"});
    ASSERT_FALSE(outcome.has_value());
    EXPECT_EQ(outcome.error().reason, Reason::credentials_invalid);
  }
}

TEST_F(Authenticate, WithModeNoneEveryoneIsTheConfiguredOne) {
  const struct {
    std::string_view name;
    std::string principal;
    std::string_view query;
    std::optional<std::string_view> authorization;
    Reason reason;  ///< `none` where it is proved.
  } cases[] = {
      {"the configured one", "bob", "", std::nullopt, Reason::none},
      {"whatever key is shown", "bob", "", "Bearer key-of-ann", Reason::none},
      {"one that does not exist", "nobody", "", std::nullopt, Reason::principal_unknown},
      {"none", "", "", std::nullopt, Reason::principal_unknown},
      {"a token in the URL", "bob", "access_token=x", std::nullopt, Reason::credentials_invalid},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    AuthConfig config = keys();
    config.mode = AuthConfig::Mode::none;
    config.principal = c.principal;
    const Outcome outcome =
        authenticate(config, {.authorization = c.authorization, .query = c.query});
    EXPECT_EQ(outcome.has_value() ? Reason::none : outcome.error().reason, c.reason);
    if (!outcome.has_value()) continue;
    EXPECT_EQ(outcome->principal->id, "bob");
    EXPECT_EQ(outcome->proof, "configured");
  }
}

}  // namespace
}  // namespace bartizan
