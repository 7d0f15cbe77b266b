#include "gateway/store/grants.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gateway/store/pending_sign_ins.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;
using Kind = UsedCode::Kind;

std::string digest(char letter) {
  return std::string(64, letter);
}
std::string id(char letter) {
  return std::string(32, letter);
}

Grant grant(char letter, std::string principal = "door:ann") {
  return {.id = id(letter),
          .door = "door",
          .principal = std::move(principal),
          .client = "inspector",
          .resource = "https://gw.test/mcp",
          .scopes = "a b",
          .claims = R"({"sub":"ann"})",
          .provider_token = "sealed",
          .refresh_key = digest('f'),
          .ends = kNow + 1000};
}

GrantCode code(char letter) {
  return {.digest = digest(letter),
          .redirect = "http://127.0.0.1/cb",
          .challenge = "c",
          .ends = kNow + 60};
}

class GrantsTest : public testing::Test {
 protected:
  GrantsTest() { open(); }

  void open() {
    store_.reset();
    auto opened = Store::open(folder_.name("state.db"));
    ASSERT_TRUE(opened.has_value()) << opened.error().detail;
    store_ = std::move(*opened);
  }

  /// Runs one request on a loop of its own, and answers what it answered.
  template <class T>
  T run(const std::function<Task<T>(Loop&)>& work) {
    Loop loop{0};
    std::optional<T> answer;
    spawn(loop,
          [](Loop& its, const std::function<Task<T>(Loop&)>& asked,
             std::optional<T>& place) -> Task<void> {
            place.emplace(co_await asked(its));
            its.stop();
          }(loop, work, answer));
    loop.run();
    return std::move(*answer);
  }

  std::vector<std::string> add(const Grant& one, const GrantCode& its, std::int64_t now = kNow) {
    const auto added = run<Result<std::vector<std::string>>>(
        [&](Loop& loop) { return Grants(*store_).add(loop, one, its, now); });
    EXPECT_TRUE(added.has_value()) << added.error().detail;
    return added.value_or(std::vector<std::string>());
  }
  UsedCode use(char letter, std::int64_t now = kNow) {
    return *run<Result<UsedCode>>(
        [&](Loop& loop) { return Grants(*store_).use_code(loop, digest(letter), now); });
  }
  bool add_tokens(char letter, const GrantTokens& tokens) {
    return *run<Result<bool>>(
        [&](Loop& loop) { return Grants(*store_).add_tokens(loop, id(letter), tokens, kNow); });
  }
  bool rotate(const Grant& one, const GrantTokens& tokens) {
    return *run<Result<bool>>(
        [&](Loop& loop) { return Grants(*store_).rotate(loop, one, tokens, kNow); });
  }
  std::optional<Grants::Found> access(char letter, std::int64_t now = kNow) {
    return *run<Result<std::optional<Grants::Found>>>(
        [&](Loop& loop) { return Grants(*store_).find_access(loop, digest(letter), now); });
  }
  std::optional<Grant> find(char letter) {
    return *run<Result<std::optional<Grant>>>(
        [&](Loop& loop) { return Grants(*store_).find(loop, id(letter), kNow); });
  }

  Folder folder_;
  std::shared_ptr<Store> store_;
};

TEST_F(GrantsTest, ACodeIsUsedOnce) {
  add(grant('1'), code('a'));
  open();  // It survives the process.
  const UsedCode first = use('a');
  EXPECT_EQ(first.kind, Kind::first);
  EXPECT_EQ(first.grant, grant('1'));
  EXPECT_EQ(first.code.redirect, "http://127.0.0.1/cb");
  ASSERT_TRUE(add_tokens('1', {.access = digest('b'), .access_ends = kNow + 600}));
  ASSERT_TRUE(access('b').has_value());
  EXPECT_EQ(use('a', kNow + 500).kind, Kind::again) << "long after its time";
  EXPECT_FALSE(access('b').has_value()) << "what it brought has ended";
  EXPECT_EQ(use('a').kind, Kind::unknown);
  EXPECT_FALSE(add_tokens('1', {.access = digest('c'), .access_ends = kNow + 600}));
}

TEST_F(GrantsTest, ACodeHasItsTime) {
  add(grant('1'), code('a'));
  EXPECT_EQ(use('a', kNow + 60).kind, Kind::unknown);
  EXPECT_EQ(use('z').kind, Kind::unknown);
  EXPECT_EQ(use('a', kNow + 59).kind, Kind::first);
}

TEST_F(GrantsTest, ARefreshTokenIsReplacedOnce) {
  add(grant('1'), code('a'));
  ASSERT_TRUE(add_tokens('1', {.access = digest('b'),
                               .access_ends = kNow + 600,
                               .refresh = digest('2'),
                               .provider_token = "p1"}));
  Grant now = *find('1');
  EXPECT_EQ(now.refresh, digest('2'));
  EXPECT_EQ(now.provider_token, "p1");
  EXPECT_EQ(now.claims, grant('1').claims) << "kept by the first tokens";
  Grant changed = now;
  changed.claims = R"({"sub":"ann","x":1})";
  const GrantTokens next{.access = digest('c'),
                         .access_ends = kNow + 700,
                         .refresh = digest('3'),
                         .provider_token = "p2"};
  ASSERT_TRUE(rotate(changed, next));
  EXPECT_FALSE(
      rotate(changed, {.access = digest('d'), .access_ends = kNow + 700, .refresh = digest('4')}))
      << "by the token before";
  EXPECT_EQ(find('1')->refresh, digest('3'));
  EXPECT_EQ(find('1')->claims, changed.claims);
  EXPECT_FALSE(access('d').has_value());
  EXPECT_EQ(access('c')->access_ends, kNow + 700);
}

TEST_F(GrantsTest, AreFoundByTheirTokens) {
  const auto find_token = [this](char letter, std::int64_t now) {
    return *run<Result<std::optional<Grant>>>(
        [&](Loop& loop) { return Grants(*store_).find_token(loop, digest(letter), now); });
  };
  add(grant('1'), code('a'));
  add(grant('2'), code('b'));
  const GrantTokens tokens{
      .access = digest('c'), .access_ends = kNow + 600, .refresh = digest('d')};
  ASSERT_TRUE(add_tokens('1', tokens));
  ASSERT_TRUE(find_token('c', kNow).has_value());
  EXPECT_EQ(find_token('c', kNow)->id, id('1'));
  EXPECT_EQ(find_token('d', kNow)->id, id('1'));
  EXPECT_FALSE(find_token('c', kNow + 600).has_value()) << "the access token has expired";
  EXPECT_TRUE(find_token('d', kNow + 600).has_value());
  EXPECT_FALSE(find_token('d', kNow + 1000).has_value()) << "the grant has ended";
  EXPECT_FALSE(find_token('e', kNow).has_value());
}

TEST_F(GrantsTest, AccessTokensOfAGrantAreBounded) {
  add(grant('1'), code('a'));
  for (const char letter : {'0', '1', '2', '3', '4', '5'}) {
    ASSERT_TRUE(add_tokens('1', {.access = digest(letter), .access_ends = kNow + 600 + letter}));
  }
  EXPECT_FALSE(access('0').has_value());
  EXPECT_FALSE(access('1').has_value());
  EXPECT_TRUE(access('2').has_value());
  EXPECT_TRUE(access('5').has_value());
}

TEST_F(GrantsTest, TheOldestOfAUserMakeRoom) {
  for (std::int64_t i = 0; i < limits::grants_of_principal_max; ++i) {
    Grant one = grant('x');
    one.id = std::string(30, '0') + std::to_string(10 + i);
    GrantCode its = code('a');
    its.digest = std::string(62, '0') + std::to_string(10 + i);
    EXPECT_TRUE(add(one, its, kNow + i).empty());
  }
  EXPECT_TRUE(add(grant('8', "door:bob"), code('8'), kNow + 99).empty()) << "another user's";
  EXPECT_EQ(add(grant('9'), code('9'), kNow + 100),
            std::vector<std::string>{std::string(30, '0') + "10"});
  EXPECT_TRUE(find('8').has_value());
}

TEST_F(GrantsTest, WhatIsOverIsForgotten) {
  add(grant('1'), code('a'));
  ASSERT_TRUE(add_tokens('1', {.access = digest('b'), .access_ends = kNow + 600}));
  EXPECT_TRUE(access('b', kNow + 599).has_value());
  EXPECT_FALSE(access('b', kNow + 600).has_value());
  add(grant('2'), code('c'), kNow + 1000);
  EXPECT_FALSE(find('1').has_value());
}

TEST_F(GrantsTest, AllOfAUserEnd) {
  add(grant('1'), code('a'));
  add(grant('2', "door:bob"), code('b'));
  const auto ended = run<Result<std::vector<std::string>>>(
      [&](Loop& loop) { return Grants(*store_).end_all_of(loop, "door:ann"); });
  EXPECT_EQ(*ended, std::vector<std::string>{id('1')});
  EXPECT_FALSE(find('1').has_value());
  EXPECT_TRUE(find('2').has_value());
}

class PendingSignInsTest : public GrantsTest {
 protected:
  PendingSignIn sign_in(std::string of, std::string source = "192.0.2.1") {
    return {.id = std::move(of),
            .browser = digest('b'),
            .source = std::move(source),
            .request = "{}",
            .ends = kNow + 600};
  }
  bool begin(const PendingSignIn& one) {
    return run<Result<void>>(
               [&](Loop& loop) { return PendingSignIns(*store_).add(loop, one, kNow); })
        .has_value();
  }
  bool forward(char letter, char state, std::int64_t now = kNow) {
    return *run<Result<bool>>([&](Loop& loop) {
      return PendingSignIns(*store_).forward(loop, digest(letter), digest(state), "{1}", now);
    });
  }
  std::optional<PendingSignIn> take(char state) {
    return *run<Result<std::optional<PendingSignIn>>>(
        [&](Loop& loop) { return PendingSignIns(*store_).take(loop, digest(state), kNow); });
  }
};

TEST_F(PendingSignInsTest, GoOnOnceAndComeBackOnce) {
  ASSERT_TRUE(begin(sign_in(digest('1'))));
  EXPECT_FALSE(take('s').has_value());
  EXPECT_TRUE(forward('1', 's'));
  EXPECT_FALSE(forward('1', 't')) << "twice";
  open();
  const auto taken = take('s');
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->request, "{1}");
  EXPECT_EQ(taken->browser, digest('b'));
  EXPECT_FALSE(take('s').has_value()) << "twice";
  ASSERT_TRUE(begin(sign_in(digest('2'))));
  EXPECT_FALSE(forward('2', 'u', kNow + 600)) << "too late";
}

TEST_F(PendingSignInsTest, AreBoundedByTheirNetwork) {
  for (std::int64_t i = 0; i < limits::sign_ins_of_source_max; ++i)
    ASSERT_TRUE(begin(sign_in(std::string(61, '0') + std::to_string(100 + i))));
  EXPECT_FALSE(begin(sign_in(digest('1'))));
  EXPECT_TRUE(begin(sign_in(digest('1'), "192.0.2.2"))) << "from elsewhere";
}

TEST_F(PendingSignInsTest, ConsentsAreRememberedForATime) {
  const auto find = [&](std::int64_t now) {
    return *run<Result<std::optional<std::string>>>(
        [&](Loop& loop) { return Consents(*store_).find(loop, digest('c'), now); });
  };
  EXPECT_EQ(find(kNow), std::nullopt);
  const auto kept = run<Result<void>>([&](Loop& loop) {
    return Consents(*store_).remember(loop, digest('c'), "door:ann", kNow + 10, kNow);
  });
  ASSERT_TRUE(kept.has_value());
  open();
  EXPECT_EQ(find(kNow + 9), "door:ann");
  EXPECT_EQ(find(kNow + 10), std::nullopt);
}

TEST_F(PendingSignInsTest, RegisteredClientsAreOfOneFrontDoor) {
  const auto added = run<Result<void>>([&](Loop& loop) {
    return RegisteredClients(*store_).add(
        loop,
        {.id = "c1",
         .door = "door",
         .name = "CLI",
         .redirect_uris = "http://localhost/a http://localhost/b"},
        "192.0.2.1", kNow);
  });
  ASSERT_TRUE(added.has_value());
  const auto find = [&](std::string door) {
    return *run<Result<std::optional<RegisteredClient>>>(
        [&](Loop& loop) { return RegisteredClients(*store_).find(loop, "c1", door, kNow); });
  };
  EXPECT_EQ(find("door")->redirect_uris, "http://localhost/a http://localhost/b");
  EXPECT_EQ(find("other"), std::nullopt);
}

}  // namespace
}  // namespace bartizan
