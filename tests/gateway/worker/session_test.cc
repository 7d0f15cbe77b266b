#include "gateway/worker/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/runtime/random.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using std::chrono::milliseconds;

const Session::Clock::time_point kBegin{std::chrono::hours(1)};

PrincipalPtr named(std::string id) {
  return std::make_shared<const Principal>(Principal{.id = std::move(id)});
}

std::array<std::uint8_t, 16> bytes(std::uint8_t first) {
  std::array<std::uint8_t, 16> all{};
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<std::uint8_t>(first + i);
  return all;
}

SessionConfig config(std::uint32_t max_concurrent = 100) {
  SessionConfig config;
  config.idle = milliseconds(1000);
  config.session_timeout = milliseconds(5000);
  config.max_concurrent = max_concurrent;
  return config;
}

/// A session of that principal, or null where a bound keeps it out.
std::shared_ptr<Session> begin(Sessions& sessions, std::string id, const SessionConfig& of,
                               std::uint8_t random, std::optional<std::string> endpoint = {}) {
  const Authenticated caller{.principal = named(std::move(id)),
                             .proof = "configured",
                             .credential = {.endpoint = std::move(endpoint)}};
  return sessions.begin(caller, of, bytes(random), kBegin).value_or(nullptr);
}

TEST(Session, SpellsItsHomeAndEveryRandomByte) {
  SessionCounts counts;
  Sessions sessions(0x1a2b, counts);
  const auto session = begin(sessions, "ann", config(), 0xf0);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->id, "1a2b-f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  EXPECT_EQ(session->principal->id, "ann");
  EXPECT_EQ(session_home(session->id), 0x1a2b);
}

TEST(Session, ReadsTheHomeOfAnIdOnly) {
  const std::string random(32, 'a');
  const struct {
    std::string_view name;
    std::string id;
    std::optional<std::uint16_t> home;
  } cases[] = {
      {"the first worker", "0000-" + random, 0},
      {"the last", "ffff-" + random, 0xffff},
      {"upper case was never given out", "000A-" + random, std::nullopt},
      {"nothing", "", std::nullopt},
      {"the home alone", "0001-", std::nullopt},
      {"one digit short", "0001-" + random.substr(1), std::nullopt},
      {"one digit long", "0001-" + random + "a", std::nullopt},
      {"no dash", "00010" + random, std::nullopt},
      {"a sign", "-001-" + random, std::nullopt},
      {"a space", " 001-" + random, std::nullopt},
      {"a NUL", std::string("00\0001-", 6) + random.substr(1), std::nullopt},
      {"beyond ASCII",
       "\xc3\xa9"
       "01-" +
           random,
       std::nullopt},
      {"another's id", "b5c0a5a0-6a4e-4c2b-9f0e-000000000001", std::nullopt},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(session_home(c.id), c.home);
  }
}

TEST(Session, IsFoundByItsPrincipalAlone) {
  SessionCounts counts;
  Sessions sessions(1, counts);
  const std::string id = begin(sessions, "ann", config(), 1)->id;
  std::string other = id;
  other.back() = other.back() == '0' ? '1' : '0';
  std::string upper = id;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  const struct {
    std::string_view name;
    std::string id;
    std::string_view principal;
    bool found;
  } cases[] = {
      {"its own", id, "ann", true},
      {"somebody else's", id, "bob", false},
      {"nobody's", id, "", false},
      {"a longer principal", id, "anna", false},
      {"another letter case of the principal", id, "Ann", false},
      {"another last digit", other, "ann", false},
      {"another letter case of the id", upper, "ann", false},
      {"a prefix", id.substr(0, id.size() - 1), "ann", false},
      {"nothing", "", "ann", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(sessions.find(c.id, {.principal = c.principal}, config(), kBegin) != nullptr,
              c.found);
  }
}

TEST(Session, Expires) {
  const struct {
    std::string_view name;
    std::uint32_t in_use;
    std::vector<int> used_at;  ///< Milliseconds after the beginning.
    int asked_at;
    bool alive;
  } cases[] = {
      {"at once", 0, {}, 0, true},
      {"at the end of its idle time", 0, {}, 1000, true},
      {"after its idle time", 0, {}, 1001, false},
      {"use prolongs", 0, {900}, 1900, true},
      {"and idles again", 0, {900}, 1901, false},
      {"in use it does not idle", 1, {}, 4000, true},
      {"at the end of its time", 1, {}, 5000, true},
      {"not even use prolongs that", 1, {}, 5001, false},
      {"nor do messages", 0, {900, 1800, 2700, 3600, 4500}, 5001, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SessionCounts counts;
    Sessions sessions(1, counts);
    const auto session = begin(sessions, "ann", config(), 1);
    session->in_use = c.in_use;
    for (const int used : c.used_at)
      ASSERT_NE(
          sessions.find(session->id, {.principal = "ann"}, config(), kBegin + milliseconds(used)),
          nullptr);
    const auto asked = kBegin + milliseconds(c.asked_at);
    // A stranger who asks must not keep it alive.
    EXPECT_EQ(sessions.find(session->id, {.principal = "bob"}, config(), asked), nullptr);
    EXPECT_EQ(sessions.find(session->id, {.principal = "ann"}, config(), asked) != nullptr,
              c.alive);
    EXPECT_EQ(sessions.expire(config(), asked).size(), c.alive ? 0U : 1U);
    EXPECT_EQ(sessions.size(), c.alive ? 1U : 0U);
    EXPECT_EQ(counts.total(), c.alive ? 1U : 0U);
  }
}

TEST(Session, AStrangerDoesNotProlong) {
  SessionCounts counts;
  Sessions sessions(1, counts);
  const std::string id = begin(sessions, "ann", config(), 1)->id;
  EXPECT_EQ(sessions.find(id, {.principal = "bob"}, config(), kBegin + milliseconds(900)), nullptr);
  EXPECT_EQ(sessions.find(id, {.principal = "ann"}, config(), kBegin + milliseconds(1001)),
            nullptr);
}

TEST(Session, IsBoundedForEachPrincipalOverAllWorkers) {
  SessionCounts counts;
  Sessions here(0, counts);
  Sessions there(1, counts);
  const auto first = begin(here, "ann", config(2), 1);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(begin(there, "ann", config(2), 2), nullptr);
  EXPECT_EQ(begin(here, "ann", config(2), 3), nullptr);
  EXPECT_EQ(begin(there, "ann", config(2), 3), nullptr);
  EXPECT_NE(begin(here, "bob", config(2), 4), nullptr);
  EXPECT_EQ(counts.total(), 3U);
  here.end(first->id);
  here.end(first->id);  // Ended once, counted once.
  EXPECT_EQ(counts.total(), 2U);
  EXPECT_NE(begin(there, "ann", config(2), 5), nullptr);
  EXPECT_EQ(begin(there, "ann", config(2), 6), nullptr);
}

TEST(Session, IsBoundedForAllPrincipalsTogether) {
  SessionCounts counts;
  Sessions here(0, counts);
  Sessions there(1, counts);
  SessionConfig two = config(2);
  two.max_concurrent_sessions = 2;
  const auto first = begin(here, "ann", two, 1);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(begin(there, "bob", two, 2), nullptr);
  EXPECT_EQ(counts.take("zoe", two), SessionBound::total);
  // Whoever has as many as it may is told so, whatever others have.
  two.max_concurrent = 1;
  EXPECT_EQ(counts.take("ann", two), SessionBound::principal);
  here.end(first->id);
  EXPECT_NE(begin(there, "zoe", two, 3), nullptr);
  EXPECT_EQ(counts.take("ann", two), SessionBound::total);
}

TEST(Session, IsKnownAtItsOwnEndpointOnly) {
  const struct {
    std::string_view name;
    std::optional<std::string> begun_at;
    std::optional<std::string_view> asked_at;
    bool found;
  } cases[] = {
      {"the same", "desk", "desk", true},
      {"another one", "desk", "build", false},
      {"another letter case", "desk", "Desk", false},
      {"a prefix", "desk", "des", false},
      {"the one without a name", "desk", "", false},
      {"of none, at one", std::nullopt, "desk", false},
      {"of one, at none", "desk", std::nullopt, false},
      {"of none, at the one without a name", std::nullopt, "", false},
      {"of none, at none", std::nullopt, std::nullopt, true},
      {"the one without a name, there", "", "", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SessionCounts counts;
    Sessions sessions(1, counts);
    const std::string id = begin(sessions, "ann", config(), 1, c.begun_at)->id;
    const SessionOwner owner{.principal = "ann", .endpoint = c.asked_at};
    EXPECT_EQ(sessions.find(id, owner, config(), kBegin) != nullptr, c.found);
  }
}

TEST(Session, ARefusedOneIsNotCounted) {
  SessionCounts counts;
  EXPECT_EQ(counts.take("ann", config(0)), SessionBound::principal);
  EXPECT_EQ(counts.take("ann", config(0)), SessionBound::principal);
  EXPECT_EQ(counts.total(), 0U);
  EXPECT_EQ(counts.take("ann", config(1)), std::nullopt);
  EXPECT_EQ(counts.take("ann", config(1)), SessionBound::principal);
  EXPECT_EQ(counts.total(), 1U);
  counts.give_back("ann");
  counts.give_back("ann");
  counts.give_back("nobody");
  EXPECT_EQ(counts.total(), 0U);
}

/// Keeps how it was ended.
class KeptExchange final : public Exchange {
 public:
  void send(std::string) override {}
  void finish(Answer) override { ++finished; }
  void on_cancel(std::move_only_function<void()>) override {}
  int finished = 0;
};

TEST(Session, EndsWhatIsInProgress) {
  SessionCounts counts;
  Sessions sessions(1, counts);
  const auto session = begin(sessions, "ann", config(), 1);
  const auto stream = std::make_shared<KeptExchange>();
  session->stream = stream;
  sessions.end(session->id);
  EXPECT_EQ(stream->finished, 1);
  EXPECT_EQ(session->stream, nullptr);
  EXPECT_EQ(sessions.find(session->id, {.principal = "ann"}, config(), kBegin), nullptr);
}

TEST(Session, EndsWithWhatProvedIt) {
  const auto digest = [](char fill) {
    Credential credential{.kind = CredentialKind::api_key};
    credential.digest.fill(static_cast<std::uint8_t>(fill));
    return credential;
  };
  const auto key = [&](std::string name, std::string principal, char fill) {
    return ApiKeyConfig{.name = std::move(name),
                        .principal = std::move(principal),
                        .sha256 = KeyedDigest::hex(digest(fill).digest),
                        .expires = fill == 'e' ? std::optional<std::int64_t>(100) : std::nullopt,
                        .where = {}};
  };
  const auto policy = compile_policy(sample_config(), sample_names());
  AuthConfig keys;
  keys.api_keys = {key("one", "ann", 'a'), key("expiring", "ann", 'e'), key("moved", "dan", 'm'),
                   key("orphan", "nobody", 'o')};
  AuthConfig open;
  open.mode = AuthConfig::Mode::none;
  open.principal = "ann";
  AuthConfig local = keys;
  local.stdio_principal = "ann";
  const Credential local_user{.kind = CredentialKind::local_user};
  const struct {
    std::string_view name;
    AuthConfig auth;
    std::string principal;
    Credential credential;
    std::int64_t now;
    bool ends;
  } cases[] = {
      {"its key is there", keys, "ann", digest('a'), 99, false},
      {"its key is gone", keys, "ann", digest('x'), 99, true},
      {"its key is another's now", keys, "ann", digest('m'), 99, true},
      {"its key lasts a second more", keys, "ann", digest('e'), 99, false},
      {"its key has expired", keys, "ann", digest('e'), 100, true},
      {"its principal is gone", keys, "nobody", digest('o'), 99, true},
      {"nobody needs a key", open, "ann", {}, 99, false},
      {"somebody else is everyone now", open, "dan", {}, 99, true},
      {"keys are needed now", keys, "ann", {}, 99, true},
      {"keys are needed now, and the local user is called the same", local, "ann", {}, 99, true},
      {"it is the local user's", local, "ann", local_user, 99, false},
      {"it is another local user's", local, "dan", local_user, 99, true},
      {"nobody is a local user", keys, "ann", local_user, 99, true},
      {"nobody is a local user, and nobody needs a key", open, "ann", local_user, 99, true},
      {"keys are not needed any more, but were shown", open, "ann", digest('a'), 99, true},
  };
  LivingPrincipals living;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SessionCounts counts;
    Sessions sessions(0, counts);
    const auto session = begin(sessions, std::string(c.principal), config(), 1);
    session->credential = c.credential;
    const auto ended = sessions.end_revoked(Authenticator(c.auth, policy, living), c.now);
    EXPECT_EQ(ended.size(), c.ends ? 1U : 0U);
    EXPECT_EQ(counts.total(), c.ends ? 0U : 1U);
  }
}

TEST(Session, ForgetsWhatItFollowsOfAServer) {
  SessionCounts counts;
  Sessions sessions(0, counts);
  const auto session = begin(sessions, "ann", config(), 1);
  session->subscriptions = {{{"docs", "file:///a"}, UriForm::bare},
                            {{"docs", "file:///b"}, UriForm::named},
                            {{"mail", "file:///a"}, UriForm::bare}};
  sessions.forget_server("docs");
  EXPECT_EQ(session->subscriptions.size(), 1U);
  EXPECT_EQ(session->subscriptions.begin()->first.first, "mail");
}

}  // namespace
}  // namespace bartizan
