#include "gateway/identity/revocation_table.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/digest.h"
#include "gateway/identity/authenticate.h"
#include "gateway/runtime/loop.h"
#include "schemas/base/sha256.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using Kind = Revocation::Kind;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::int64_t kNow = 1'795'262'400;
constexpr sys_seconds kNowTime{seconds(kNow)};

std::string digest_of(std::string_view text) {
  return hex_of(Digester().sha256(text));
}

Revocation of(std::int64_t id, Kind kind, std::string subject) {
  return {.id = id,
          .kind = kind,
          .subject = std::move(subject),
          .by = "uid:0",
          .why = "w",
          .decision_id = "d",
          .at = kNowTime};
}

Credential key(std::string_view text) {
  return {.kind = CredentialKind::api_key, .digest = Digester().sha256(text)};
}

Credential token(std::string_view text, std::string jti, CredentialKind kind) {
  return {.kind = kind, .digest = Digester().sha256(text), .token_id = std::move(jti)};
}

TEST(RevocationTable, SaysWhoIsNotLetIn) {
  RevocationTable table;
  table.add(of(1, Kind::principal, "ann"));
  table.add(of(2, Kind::block_principal, "bob"));
  table.add(of(3, Kind::key, digest_of("lost key")));
  table.add(of(4, Kind::token, digest_of("lost token")));
  table.add(of(5, Kind::token, digest_of("jti-1")));
  table.add(of(6, Kind::principal, "eve"));
  table.add(of(7, Kind::block_principal, "eve"));
  const auto issuer = CredentialKind::issuer;
  const struct {
    std::string_view name;
    std::string_view principal;
    Credential credential;
    Reason want;
  } rows[] = {
      {"a revoked principal", "ann", key("any"), Reason::revoked},
      {"one whose name begins so", "anna", key("any"), Reason::none},
      {"a blocked principal", "bob", key("any"), Reason::blocked},
      {"one that is both", "eve", key("any"), Reason::revoked},
      {"a revoked key", "dan", key("lost key"), Reason::revoked},
      {"another key of the same principal", "dan", key("other key"), Reason::none},
      {"a token with the bytes of a revoked key", "dan", token("lost key", "", issuer),
       Reason::none},
      {"a revoked token", "dan", token("lost token", "jti-9", issuer), Reason::revoked},
      {"a key with the bytes of a revoked token", "dan", key("lost token"), Reason::none},
      {"a token with a revoked jti", "dan", token("t", "jti-1", issuer), Reason::revoked},
      {"a token of a front door", "dan", token("t", "jti-1", CredentialKind::front_door),
       Reason::revoked},
      {"a token with a longer jti", "dan", token("t", "jti-12", issuer), Reason::none},
      {"a token without jti", "dan", token("t", "", issuer), Reason::none},
      {"the local user", "dan", {.kind = CredentialKind::local_user}, Reason::none},
      {"the local user, revoked", "ann", {.kind = CredentialKind::local_user}, Reason::revoked},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(table.refusal_of(row.principal, row.credential), row.want);
    EXPECT_EQ(RevocationTable().refusal_of(row.principal, row.credential), Reason::none);
  }
}

TEST(RevocationTable, HoldsEachByItself) {
  RevocationTable table;
  EXPECT_TRUE(table.empty());
  table.add(of(1, Kind::principal, "ann"));
  table.add(of(2, Kind::principal, "ann"));
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.all().size(), 2U);
  ASSERT_TRUE(table.remove(1).has_value());
  EXPECT_FALSE(table.remove(1).has_value());
  EXPECT_EQ(table.refusal_of("ann", {}), Reason::revoked) << "the other one holds";
  EXPECT_EQ(table.remove(2)->subject, "ann");
  EXPECT_EQ(table.refusal_of("ann", {}), Reason::none);
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(2), std::nullopt);
}

TEST(RevocationTable, ForgetsWhatIsOver) {
  RevocationTable table;
  Revocation short_one = of(1, Kind::block_tool, "files/write_file");
  short_one.until = kNowTime + seconds(10);
  table.add(short_one);
  table.add(of(2, Kind::principal, "ann"));
  EXPECT_TRUE(table.drop_ended(kNowTime + seconds(9)).empty());
  EXPECT_TRUE(is_tool_blocked(&table, "files", "write_file"));
  const std::uint64_t before = table.version();
  const std::vector<Revocation> ended = table.drop_ended(kNowTime + seconds(10));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front(), short_one);
  EXPECT_GT(table.version(), before);
  EXPECT_FALSE(is_tool_blocked(&table, "files", "write_file"));
  EXPECT_EQ(table.refusal_of("ann", {}), Reason::revoked);
}

TEST(RevocationTable, SaysWhenSomethingChanged) {
  RevocationTable table;
  const std::uint64_t version = table.version();
  table.add(of(1, Kind::principal, "ann"));
  EXPECT_EQ(table.version(), version + 1);
  EXPECT_EQ(table.blocks_version(), 0U) << "lists are what they were";
  table.add(of(2, Kind::block_server, "files"));
  EXPECT_EQ(table.version(), version + 2);
  EXPECT_EQ(table.blocks_version(), 1U);
  table.add(of(2, Kind::block_server, "files"));
  EXPECT_EQ(table.version(), version + 2) << "it holds already";
  table.remove(2);
  EXPECT_EQ(table.blocks_version(), 2U);
}

TEST(RevocationTable, SaysWhatIsBlockedForEverybody) {
  RevocationTable table;
  EXPECT_EQ(table.blocked_names(), nullptr);
  table.add(of(1, Kind::block_principal, "bob"));
  EXPECT_EQ(table.blocked_names(), nullptr) << "that is one principal's";
  table.add(of(2, Kind::block_server, "mail"));
  table.add(of(3, Kind::block_tool, "files/write_file"));
  const auto names = table.blocked_names();
  ASSERT_NE(names, nullptr);
  EXPECT_EQ(*names, (BlockedNames{.servers = {"mail"}, .tools = {"files/write_file"}}));
  EXPECT_TRUE(is_server_blocked(&table, "mail"));
  EXPECT_FALSE(is_server_blocked(&table, "files"));
  EXPECT_TRUE(is_tool_blocked(&table, "mail", "send"));
  EXPECT_FALSE(is_server_blocked(nullptr, "mail"));
  EXPECT_FALSE(is_tool_blocked(nullptr, "mail", "send"));
}

TEST(RevocationTable, TakesAllThatHeldAsOneChange) {
  RevocationTable table;
  table.load({of(1, Kind::block_server, "mail"), of(2, Kind::block_tool, "files/write_file"),
              of(3, Kind::principal, "ann"), of(4, Kind::block_tool, "files/write_file")});
  EXPECT_EQ(table.version(), 1U);
  EXPECT_EQ(table.blocks_version(), 1U);
  EXPECT_EQ(table.all().size(), 4U);
  EXPECT_EQ(table.refusal_of("ann", {}), Reason::revoked);
  const auto loaded = table.blocked_names();
  const BlockedNames both{.servers = {"mail"}, .tools = {"files/write_file"}};
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(*loaded, both);
  table.remove(2);
  EXPECT_EQ(*table.blocked_names(), both) << "the other one holds";
  table.remove(4);
  EXPECT_EQ(*table.blocked_names(), (BlockedNames{.servers = {"mail"}, .tools = {}}));
  EXPECT_EQ(*loaded, both) << "whoever asked before goes on with what it has";
  table.remove(1);
  EXPECT_EQ(table.blocked_names(), nullptr);
  table.load({});
  EXPECT_EQ(table.refusal_of("ann", {}), Reason::revoked);
}

TEST(RevocationTable, KnowsSessionsByTheirDigest) {
  RevocationTable table;
  EXPECT_FALSE(table.is_session_revoked("0001-abc"));
  table.add(of(1, Kind::session, digest_of("0001-abc")));
  EXPECT_TRUE(table.is_session_revoked("0001-abc"));
  EXPECT_FALSE(table.is_session_revoked("0001-abd"));
}

TEST(RevocationTable, TellsWhoWatchesOnThatLoop) {
  RevocationTable table(2);
  int first = 0;
  int second = 0;
  int other = 0;
  const auto watch = table.watch(0, [&] { ++first; });
  const auto elsewhere = table.watch(1, [&] { ++other; });
  {
    auto gone = table.watch(0, [&] { ++second; });
    const auto moved = std::move(gone);
    table.tell(0);
  }
  table.tell(0);
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1) << "it watches no more";
  EXPECT_EQ(other, 0);
  const auto beyond = table.watch(7, [] {});
  table.tell(7);
}

/// What proves principals of the sample under what is revoked.
class RevokedCredentials : public testing::Test {
 protected:
  RevokedCredentials() {
    for (const std::string_view text : {"key-of-ann", "second-key"}) {
      config_.api_keys.push_back(
          {.name = std::string(text), .principal = "ann", .sha256 = digest_of(text)});
    }
    config_.api_keys.push_back(
        {.name = "dan", .principal = "dan", .sha256 = digest_of("key-of-dan")});
  }

  Authenticator authenticator() {
    return {config_, policy_, living_, VerifierParts{.revocations = table_}};
  }
  Authentication prove(const Authenticator& by, std::string_view secret) {
    const std::string authorization = "Bearer " + std::string(secret);
    Task<Authentication> proving =
        by.prove(loop_, {.authorization = authorization, .endpoint = ""}, kNow);
    return std::move(proving.value());
  }
  static Reason reason_of(const auto& answer) {
    return answer.has_value() ? Reason::none : answer.error().reason;
  }

  AuthConfig config_;
  std::shared_ptr<RevocationTable> table_ = std::make_shared<RevocationTable>();
  std::shared_ptr<const Policy> policy_ = compile_policy(sample_config(), sample_names());
  LivingPrincipals living_;
  Loop loop_{0};
};

TEST_F(RevokedCredentials, ProveNobodyUntilTheyAreLifted) {
  const struct {
    std::string_view name;
    Revocation revocation;
    Reason ann, second, dan;
  } rows[] = {
      {"a principal", of(1, Kind::principal, "ann"), Reason::revoked, Reason::revoked,
       Reason::none},
      {"a key", of(1, Kind::key, digest_of("key-of-ann")), Reason::revoked, Reason::none,
       Reason::none},
      {"a blocked principal", of(1, Kind::block_principal, "ann"), Reason::blocked, Reason::blocked,
       Reason::none},
      {"a token of those bytes", of(1, Kind::token, digest_of("key-of-ann")), Reason::none,
       Reason::none, Reason::none},
      {"a server", of(1, Kind::block_server, "ann"), Reason::none, Reason::none, Reason::none},
  };
  const Authenticator by = authenticator();
  const Authentication ann = prove(by, "key-of-ann");
  const Authentication second = prove(by, "second-key");
  const Authentication dan = prove(by, "key-of-dan");
  ASSERT_TRUE(ann.has_value() && second.has_value() && dan.has_value());
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    table_->add(row.revocation);
    EXPECT_EQ(reason_of(prove(by, "key-of-ann")), row.ann);
    EXPECT_EQ(reason_of(prove(by, "second-key")), row.second);
    EXPECT_EQ(reason_of(prove(by, "key-of-dan")), row.dan);
    EXPECT_EQ(reason_of(by.review(*ann->principal, ann->credential, kNow)), row.ann);
    EXPECT_EQ(reason_of(by.review(*second->principal, second->credential, kNow)), row.second);
    EXPECT_EQ(reason_of(by.review(*dan->principal, dan->credential, kNow)), row.dan);
    table_->remove(1);
    EXPECT_EQ(reason_of(prove(by, "key-of-ann")), Reason::none);
    EXPECT_EQ(reason_of(by.review(*ann->principal, ann->credential, kNow)), Reason::none);
  }
}

TEST_F(RevokedCredentials, AreToldFromThoseThatProveNobodyAnyway) {
  table_->add(of(1, Kind::principal, "ann"));
  EXPECT_EQ(reason_of(prove(authenticator(), "no-key")), Reason::credentials_invalid);
}

}  // namespace
}  // namespace bartizan
