#include "gateway/store/revocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gateway/store/database.h"
#include "tests/config/folder.h"
#include "tests/gateway/store/opened_state.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using Kind = Revocation::Kind;

constexpr sys_seconds kNow{seconds(1'795'262'400)};
const std::string kDigest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

Revocation of(Kind kind, std::string subject) {
  return {.kind = kind,
          .subject = std::move(subject),
          .by = "uid:1000",
          .why = "lost her laptop",
          .decision_id = "019aa640-1e7b-7c1e-9a3b-2f4d5e6f7a8b",
          .at = kNow};
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
  return *answer;
}

class RevocationsTest : public testing::Test {
 protected:
  RevocationsTest() { open(); }

  void open() {
    store_.reset();
    auto opened = Store::open(path_);
    ASSERT_TRUE(opened.has_value()) << opened.error().detail;
    store_ = *opened;
  }
  Result<Revocation> revoke(Revocation revocation) {
    return run<Result<Revocation>>(
        [&](Loop& loop) { return Revocations(*store_).revoke(loop, revocation); });
  }
  Result<std::optional<Revocation>> lift(std::int64_t id) {
    return run<Result<std::optional<Revocation>>>(
        [&](Loop& loop) { return Revocations(*store_).lift(loop, id); });
  }
  std::vector<Revocation> all(sys_seconds now = kNow) {
    auto found = Revocations(*store_).all(now);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    return found.value_or(std::vector<Revocation>());
  }

  Folder folder_;
  const std::string path_ = folder_.name("state.db");
  std::shared_ptr<Store> store_;
};

TEST_F(RevocationsTest, AreThereAgainAfterARestart) {
  std::vector<Revocation> made{of(Kind::principal, "ann"),
                               of(Kind::session, kDigest),
                               of(Kind::key, kDigest),
                               of(Kind::token, kDigest),
                               of(Kind::block_principal, "ann"),
                               of(Kind::block_server, "files"),
                               of(Kind::block_tool, "files/write_file")};
  made[3].until = kNow + hours(1);
  made[1].why = "für immer, \"jetzt\"; DROP TABLE";
  for (Revocation& one : made) {
    const Result<Revocation> revoked = revoke(one);
    ASSERT_TRUE(revoked.has_value()) << revoked.error().detail;
    one.id = revoked->id;
    EXPECT_EQ(*revoked, one);
  }
  EXPECT_EQ(all(), made);
  open();
  EXPECT_EQ(all(), made);
}

TEST_F(RevocationsTest, EndWhenTheyAreLiftedOrOver) {
  const std::int64_t first = revoke(of(Kind::principal, "ann"))->id;
  Revocation short_one = of(Kind::principal, "ann");
  short_one.until = kNow + hours(1);
  const std::int64_t second = revoke(short_one)->id;
  EXPECT_EQ(all().size(), 2U) << "each holds by itself";
  const auto lifted = lift(first);
  ASSERT_TRUE(lifted.has_value() && lifted->has_value());
  EXPECT_EQ((*lifted)->id, first);
  EXPECT_EQ((*lifted)->subject, "ann");
  EXPECT_FALSE(lift(first)->has_value()) << "it is gone";
  EXPECT_FALSE(lift(-1)->has_value());
  EXPECT_EQ(all(kNow + hours(1) - seconds(1)).size(), 1U);
  EXPECT_TRUE(all(kNow + hours(1)).empty());
  // A number is never given twice: who lifts what is over lifts nobody else's.
  const std::int64_t third = revoke(of(Kind::principal, "bob"))->id;
  EXPECT_GT(third, second);
}

TEST_F(RevocationsTest, AreTakenBackByTheirDecision) {
  Revocation other = of(Kind::principal, "bob");
  other.decision_id = "019aa640-1e7b-7c1e-9a3b-000000000000";
  ASSERT_TRUE(revoke(of(Kind::principal, "ann")).has_value());
  ASSERT_TRUE(revoke(other).has_value());
  const auto taken = run<Result<void>>(
      [&](Loop& loop) { return Revocations(*store_).take_back(loop, other.decision_id); });
  EXPECT_TRUE(taken.has_value());
  std::vector<Revocation> left = all();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().subject, "ann");
  ASSERT_TRUE(Revocations(*store_).take_back_later(left.front().decision_id).has_value());
  // Work is done in the order in which it was taken.
  EXPECT_TRUE(all().empty());
}

TEST_F(RevocationsTest, AreKeptAgainAsTheyWere) {
  Revocation short_one = of(Kind::block_tool, "files/write_file");
  short_one.until = kNow + hours(1);
  const Revocation first = *revoke(of(Kind::token, kDigest));
  const Revocation second = *revoke(short_one);
  const std::vector<Revocation> both{first, second};
  for (const Revocation& one : both) {
    ASSERT_TRUE(Revocations(*store_).keep_later(one).has_value());
    EXPECT_EQ(all(), both) << "it is kept already";
    ASSERT_TRUE(lift(one.id)->has_value());
    EXPECT_EQ(all().size(), 1U);
    ASSERT_TRUE(Revocations(*store_).keep_later(one).has_value());
    EXPECT_EQ(all(), both);
  }
  EXPECT_GT(revoke(of(Kind::principal, "bob"))->id, second.id);
}

TEST_F(RevocationsTest, KnowWhatTheirKindsAre) {
  const struct {
    Kind kind;
    std::string_view text;
    bool is_block;
    bool is_by_digest;
  } rows[] = {
      {Kind::principal, "principal", false, false},
      {Kind::session, "session", false, true},
      {Kind::key, "key", false, true},
      {Kind::token, "token", false, true},
      {Kind::block_principal, "block_principal", true, false},
      {Kind::block_server, "block_server", true, false},
      {Kind::block_tool, "block_tool", true, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(text(row.kind), row.text);
    EXPECT_EQ(parse_revocation_kind(row.text), row.kind);
    EXPECT_EQ(is_block(row.kind), row.is_block);
    EXPECT_EQ(is_by_digest(row.kind), row.is_by_digest);
  }
  EXPECT_EQ(parse_revocation_kind("server"), std::nullopt);
  EXPECT_EQ(parse_revocation_kind(""), std::nullopt);
}

TEST_F(RevocationsTest, RefuseWhatIsNoneAndKeepNothingOfIt) {
  const std::string token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const struct {
    const char* name;
    std::function<void(Revocation&)> change;
    const char* want;  ///< Empty: it is one.
  } rows[] = {
      {"a plain one", [](Revocation&) {}, ""},
      {"a subject of the longest", [](Revocation& r) { r.subject = std::string(512, 's'); }, ""},
      {"a subject that is too long", [](Revocation& r) { r.subject = std::string(513, 's'); },
       "\"subject\" of a revocation has at most 512 bytes"},
      {"no subject", [](Revocation& r) { r.subject.clear(); }, "a revocation needs \"subject\""},
      {"nobody", [](Revocation& r) { r.by.clear(); }, "a revocation needs \"by\""},
      {"no reason", [](Revocation& r) { r.why.clear(); }, "a revocation needs \"why\""},
      {"no decision", [](Revocation& r) { r.decision_id.clear(); },
       "a revocation needs \"decision_id\""},
      {"a line break", [](Revocation& r) { r.why = "a\nb"; }, "has a control character"},
      {"half a character", [](Revocation& r) { r.why = "a\xc3"; }, "is not UTF-8"},
      {"a token itself",
       [&](Revocation& r) {
         r.kind = Kind::token;
         r.subject = token;
       },
       "the subject of a revoked token is its SHA-256"},
      {"a session itself",
       [](Revocation& r) {
         r.kind = Kind::session;
         r.subject = "0123456789abcdef";
       },
       "the subject of a revoked session is its SHA-256"},
      {"a digest in capitals",
       [](Revocation& r) {
         r.kind = Kind::key;
         r.subject = std::string(64, 'A');
       },
       "the subject of a revoked key is its SHA-256"},
      {"a digest",
       [](Revocation& r) {
         r.kind = Kind::key;
         r.subject = std::string(64, 'a');
       },
       ""},
      {"an end at its begin", [](Revocation& r) { r.until = r.at; },
       "a revocation ends after it begins"},
      {"an end a second later", [](Revocation& r) { r.until = r.at + seconds(1); }, ""},
  };
  std::size_t kept = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Revocation revocation = of(Kind::principal, "ann");
    row.change(revocation);
    const Result<Revocation> revoked = revoke(revocation);
    const bool is_one = std::string_view(row.want).empty();
    if (is_one) ++kept;
    EXPECT_EQ(revoked.has_value(), is_one);
    EXPECT_EQ(all().size(), kept);
    if (revoked.has_value()) continue;
    EXPECT_EQ(revoked.error().code, ErrorCode::invalid_params);
    EXPECT_TRUE(revoked.error().detail.contains(row.want)) << revoked.error().detail;
    EXPECT_FALSE(revoked.error().detail.contains(token));
  }
  store_.reset();
  std::ifstream file(path_, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(bytes.contains("lost her laptop")) << "what was kept is there";
  EXPECT_FALSE(bytes.contains(token));
}

TEST_F(RevocationsTest, AreBounded) {
  const auto filled = store_->ask_now<std::int64_t>([](Database& database) {
    return database.in_transaction([&]() -> Result<std::int64_t> {
      const auto done = database.query(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
          " INSERT INTO revocations (kind, subject, made_by, why, decision_id, made_at, ends_at)"
          " SELECT 'principal', 'p' || i, 'b', 'w', 'd', ?, CASE i WHEN 1 THEN ? END FROM n",
          {static_cast<std::int64_t>(limits::revocations_max),
           std::int64_t{kNow.time_since_epoch().count()},
           std::int64_t{(kNow + hours(1)).time_since_epoch().count()}});
      if (!done.has_value()) return std::unexpected(done.error());
      return 0;
    });
  });
  ASSERT_TRUE(filled.has_value()) << filled.error().detail;
  const Result<Revocation> beyond = revoke(of(Kind::principal, "one more"));
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().code, ErrorCode::overloaded);
  EXPECT_TRUE(beyond.error().detail.starts_with("32768 revocations hold already"));
  EXPECT_EQ(all().size(), limits::revocations_max);
  // One is over by then, and makes room.
  Revocation later = of(Kind::principal, "one more");
  later.at = kNow + hours(1);
  EXPECT_TRUE(revoke(later).has_value());
  EXPECT_FALSE(revoke(later).has_value());
}

TEST_F(RevocationsTest, OutliveTheProcessOnceTheyAreAnswered) {
  store_.reset();
  run_and_kill([this](const std::function<void()>& here) {
    open();
    if (revoke(of(Kind::principal, "ann")).has_value()) here();
  });
  open();
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all().front().subject, "ann");
}

}  // namespace
}  // namespace bartizan
