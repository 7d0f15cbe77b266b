#include "gateway/identity/authenticate.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/identity/api_key.h"
#include "gateway/runtime/loop.h"
#include "gateway/runtime/random.h"
#include "tests/gateway/identity/claims_verifier.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

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

/// What an HTTP client shows.
struct Shown {
  std::optional<std::string_view> authorization = {};
  std::string_view query = {};
  std::optional<std::string_view> endpoint = "";
};

class Authenticate : public testing::Test {
 protected:
  Authentication prove(const Authenticator& authenticator, const Shown& shown) {
    bytes_ = "POST /mcp";
    if (!shown.query.empty()) bytes_.append("?").append(shown.query);
    bytes_ += " HTTP/1.1\r\nHost: x\r\n";
    if (shown.authorization.has_value()) {
      bytes_.append("Authorization: ").append(*shown.authorization).append("\r\n");
    }
    bytes_ += "\r\n";
    EXPECT_TRUE(head_.read(bytes_).has_value()) << bytes_;
    Task<Authentication> proving =
        authenticator.prove(loop_,
                            {.authorization = head_.find(KnownHeader::authorization),
                             .head = &head_,
                             .endpoint = shown.endpoint},
                            kNow);
    EXPECT_TRUE(proving.is_ready()) << "a credential that is known needs no wait";
    return std::move(proving.value());
  }

  Authentication prove(const AuthConfig& config, const Shown& shown) {
    return prove(Authenticator(config, policy_, living_), shown);
  }

  std::shared_ptr<const Policy> policy_ = compile_policy(sample_config(), sample_names());
  LivingPrincipals living_;
  Loop loop_{0};

 private:
  std::string bytes_;
  RequestHead head_;
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
    const Authentication proved = prove(keys(), {.authorization = c.authorization});
    ASSERT_TRUE(proved.has_value()) << proved.error().detail;
    EXPECT_EQ(proved->principal->id, c.principal);
    EXPECT_EQ(proved->proof, c.proof);
  }
}

/// A desk for two keys of which one is missing, a door for all keys, and one for none of them.
EndpointConfigs endpoints() {
  return {{"desk", {.name = "desk", .path = "/desk", .auth = {"api_key.laptop", "api_key.gone"}}},
          {"keys", {.name = "keys", .path = "/keys", .auth = {"api_key"}}},
          {"any", {.name = "any", .path = "/any"}},
          {"local", {.name = "local", .path = "/local", .auth = {"local_user"}}}};
}

TEST_F(Authenticate, AcceptsAtAnEndpointWhatItNames) {
  const Authenticator authenticator(
      keys(), policy_, living_,
      {.accepted = std::make_shared<const AcceptedCredentials>(endpoints())});
  const Authenticator without(keys(), policy_, living_);
  const struct {
    std::string_view name;
    const Authenticator& at;
    std::string_view endpoint;
    std::string_view authorization;
    Reason reason;
  } rows[] = {
      {"a key that it names", authenticator, "desk", "Bearer key-of-ann", Reason::none},
      {"a key that it does not name", authenticator, "desk", "Bearer key-of-dan",
       Reason::credentials_invalid},
      {"a key that nobody has", authenticator, "desk", "Bearer x", Reason::credentials_invalid},
      {"any key where the kind is named", authenticator, "keys", "Bearer key-of-dan", Reason::none},
      {"any key where nothing is named", authenticator, "any", "Bearer key-of-dan", Reason::none},
      {"nothing is looked at where no key is named", authenticator, "local", "Bearer key-of-ann",
       Reason::unauthenticated},
      {"an endpoint that is gone", authenticator, "gone", "Bearer key-of-ann",
       Reason::credentials_invalid},
      {"the one of [listen] path beside others", authenticator, "", "Bearer key-of-ann",
       Reason::credentials_invalid},
      {"the one of [listen] path alone", without, "", "Bearer key-of-ann", Reason::none},
      {"a name where there are none", without, "desk", "Bearer key-of-ann",
       Reason::credentials_invalid},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Authentication proved =
        prove(row.at, {.authorization = row.authorization, .endpoint = row.endpoint});
    EXPECT_EQ(proved.has_value() ? Reason::none : proved.error().reason, row.reason);
    if (!proved.has_value()) continue;
    EXPECT_EQ(proved->credential.endpoint, row.endpoint);
    EXPECT_TRUE(row.at.review(*proved->principal, proved->credential, kNow).has_value());
    // It was proved there, and stays so only as long as it is accepted there.
    Credential elsewhere = proved->credential;
    elsewhere.endpoint = "local";
    EXPECT_FALSE(row.at.review(*proved->principal, elsewhere, kNow).has_value());
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
      {"a tab after the scheme", "Bearer\tkey-of-ann", "", Reason::credentials_invalid},
      {"two spaces", "Bearer  key-of-ann", "", Reason::credentials_invalid},
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
    const Authentication proved =
        prove(keys(), {.authorization = c.authorization, .query = c.query});
    ASSERT_FALSE(proved.has_value()) << proved->principal->id;
    EXPECT_EQ(proved.error().reason, c.reason);
    EXPECT_EQ(proved.error().detail.find("key-of"), std::string::npos) << "no secret in details";
    EXPECT_FALSE(proved.error().detail.empty());
  }
}

TEST_F(Authenticate, ADigestIsNoKey) {
  const std::string shown = "Bearer " + sha256("key-of-ann");
  const Authentication proved = prove(keys(), {.authorization = shown});
  ASSERT_FALSE(proved.has_value());
  EXPECT_EQ(proved.error().reason, Reason::credentials_invalid);
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
    const Authentication proved = prove(config, {.authorization = "Bearer secret"});
    ASSERT_FALSE(proved.has_value());
    EXPECT_EQ(proved.error().reason, Reason::credentials_invalid);
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
    const Authentication proved =
        prove(config, {.authorization = c.authorization, .query = c.query});
    EXPECT_EQ(proved.has_value() ? Reason::none : proved.error().reason, c.reason);
    if (!proved.has_value()) continue;
    EXPECT_EQ(proved->principal->id, "bob");
    EXPECT_EQ(proved->proof, "configured");
  }
}

// What a transport carries decides which way of proving is looked at.
TEST_F(Authenticate, TheLocalUserSpeaksOverStandardInputAlone) {
  AuthConfig open = keys();
  open.mode = AuthConfig::Mode::none;
  open.principal = "bob";
  AuthConfig local = keys();
  local.stdio_principal = "ann";
  AuthConfig both = open;
  both.stdio_principal = "ann";
  const struct {
    std::string_view name;
    AuthConfig config;
    Transport transport;
    std::string_view principal;  ///< Empty where nobody is proved.
  } cases[] = {
      {"the local user", local, Transport::stdio, "ann"},
      {"the local user, beside mode none", both, Transport::stdio, "ann"},
      {"over HTTP, mode none says who it is", both, Transport::http, "bob"},
      {"over HTTP, a local user is nobody", local, Transport::http, ""},
      {"nobody is a local user", keys(), Transport::stdio, ""},
      {"mode none does not name a local user", open, Transport::stdio, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Authenticator authenticator(c.config, policy_, living_);
    auto proving = authenticator.prove(loop_, {.transport = c.transport}, kNow);
    ASSERT_TRUE(proving.is_ready());
    const Authentication& proved = proving.value();
    ASSERT_EQ(proved.has_value(), !c.principal.empty());
    if (proved.has_value()) {
      EXPECT_EQ(proved->principal->id, c.principal);
    } else {
      EXPECT_EQ(proved.error().reason, Reason::unauthenticated);
    }
  }
}

// --- Claims -------------------------------------------------------------------------------------

/// Whoever shows a word is whom the word names, with the claims of an issuer.
class ProveByClaims : public Authenticate {
 protected:
  static ClaimsPtr roles(std::vector<std::string> names) {
    return std::make_shared<const Claims>(
        Claims{.roles = std::move(names), .permissions = {}, .attributes = {}});
  }

  /// Of the test's `words_`, with that policy.
  Authenticator authenticator(std::shared_ptr<const Policy> policy) {
    auto verifier = std::make_unique<ClaimsVerifier>();
    verifier->add("word-of-zoe", {.id = "corp/zoe", .claims = roles({"analyst"})});
    verifier->add("word-of-yan", {.id = "corp/yan", .claims = roles({})});
    verifier->add("word-of-ann", {.id = "ann", .claims = nullptr});
    verifier->add("word-of-nobody", {.id = "nobody", .claims = nullptr});
    verifier->add("word-by-a-name", {.id = "ann", .claims = roles({"developer"})});
    words_ = verifier.get();
    std::vector<VerifierPtr> verifiers;
    verifiers.push_back(std::move(verifier));
    verifiers.push_back(std::make_unique<const ApiKeyVerifier>(keys(), VerifierParts()));
    return {std::move(verifiers), std::move(policy), living_};
  }

  /// What is answered once the loop has run, and whether that had to be waited for.
  std::pair<Authentication, bool> wait_for(const Authenticator& authenticator,
                                           std::string_view word) {
    bytes_ = "POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Token ";
    bytes_.append(word).append("\r\n\r\n");
    EXPECT_TRUE(head_.read(bytes_).has_value());
    Task<Authentication> proving = authenticator.prove(
        loop_, {.authorization = head_.find(KnownHeader::authorization), .head = &head_}, kNow);
    const bool is_ready = proving.is_ready();
    std::optional<Authentication> proved;
    spawn(loop_, take(std::move(proving), proved));
    loop_.run();
    loop_.io().restart();
    return {std::move(*proved), is_ready};
  }

  Task<void> take(Task<Authentication> proving, std::optional<Authentication>& proved) {
    proved = co_await std::move(proving);
    loop_.stop();
  }

  ClaimsVerifier* words_ = nullptr;

 private:
  std::string bytes_;
  RequestHead head_;
};

TEST_F(ProveByClaims, WaitsForWhatIsNotKnownAndForNothingElse) {
  const Authenticator proves = authenticator(policy_);
  const auto [first, was_known] = wait_for(proves, "word-of-zoe");
  ASSERT_TRUE(first.has_value()) << first.error().detail;
  EXPECT_FALSE(was_known);
  EXPECT_EQ(first->principal->id, "corp/zoe");
  EXPECT_EQ(first->principal->roles, std::vector<std::string>{"analyst"});
  EXPECT_EQ(first->proof, "token");
  const auto [second, is_known] = wait_for(proves, "word-of-zoe");
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(is_known);
  EXPECT_EQ(second->principal, first->principal) << "one value for one principal";
}

TEST_F(ProveByClaims, RefusesWithTheCause) {
  const Authenticator proves = authenticator(policy_);
  EXPECT_EQ(wait_for(proves, "word-of-bob").first.error().reason, Reason::credentials_invalid);
  EXPECT_EQ(wait_for(proves, "word-of-nobody").first.error().reason, Reason::principal_unknown);
  EXPECT_EQ(wait_for(proves, "word-of-ann").first->principal->id, "ann");
  EXPECT_EQ(wait_for(proves, "word-by-a-name").first.error().reason, Reason::credentials_invalid)
      << "an issuer makes nobody a principal of the configuration";
}

TEST_F(ProveByClaims, EachKindReviewsItsOwn) {
  const Authenticator proves = authenticator(policy_);
  const auto by_word = wait_for(proves, "word-of-ann").first;
  const auto by_key = prove(proves, {.authorization = "Bearer key-of-ann"});
  ASSERT_TRUE(by_word.has_value() && by_key.has_value());
  words_->revoke("word-of-ann");
  EXPECT_TRUE(proves.review(*by_key->principal, by_key->credential, kNow).has_value());
  EXPECT_FALSE(proves.review(*by_word->principal, by_word->credential, kNow).has_value());
  const Authenticator keys_alone(keys(), policy_, living_);
  EXPECT_FALSE(keys_alone.review(*by_word->principal, by_word->credential, kNow).has_value());
}

TEST_F(ProveByClaims, EndsWhereTheConfigurationGivesItsNameToSomebody) {
  const auto proved = wait_for(authenticator(policy_), "word-of-zoe").first;
  ASSERT_TRUE(proved.has_value());
  Config config = sample_config();
  config.principals["corp/zoe"] = {.id = "corp/zoe", .roles = {"developer"}};
  const Authenticator after = authenticator(compile_policy(config, sample_names()));
  EXPECT_EQ(after.rebind(*proved->principal), nullptr);
}

TEST_F(ProveByClaims, IsNotRevokedByAConfigurationThatNeverNamedIt) {
  const Authenticator before = authenticator(policy_);
  const auto proved = wait_for(before, "word-of-zoe").first;
  ASSERT_TRUE(proved.has_value());
  const auto review = [&](const Authenticator& one) {
    return one.review(*proved->principal, proved->credential, kNow);
  };
  Config config = sample_config();
  config.roles["aardvark"] = {.name = "aardvark"};
  config.principals.clear();
  const Authenticator after = authenticator(compile_policy(config, sample_names()));
  EXPECT_FALSE(review(after).has_value()) << "its word is not known there yet";
  ASSERT_TRUE(wait_for(after, "word-of-zoe").first.has_value());
  const auto present = review(after);
  ASSERT_TRUE(present.has_value()) << present.error().detail;
  EXPECT_EQ((*present)->id, "corp/zoe");
  EXPECT_NE((*present)->role_indexes, proved->principal->role_indexes);
  words_->revoke("word-of-zoe");
  ASSERT_FALSE(review(after).has_value());
  EXPECT_EQ(review(after).error().reason, Reason::credentials_invalid);
}

TEST_F(ProveByClaims, KnowsWhoLives) {
  const Authenticator proves = authenticator(policy_);
  EXPECT_TRUE(proves.knows("ann"));
  EXPECT_FALSE(proves.knows("corp/zoe"));
  {
    const auto proved = wait_for(proves, "word-of-zoe").first;
    EXPECT_TRUE(proves.knows("corp/zoe"));
  }
  EXPECT_FALSE(proves.knows("corp/zoe"));
}

}  // namespace
}  // namespace bartizan
