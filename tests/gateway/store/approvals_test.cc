#include "gateway/store/approvals.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/store/database.h"
#include "tests/config/folder.h"

namespace bartizan {
namespace {

constexpr std::int64_t kNow = 1'795'262'400;
constexpr const char* kPolicy = "4e07408562bedb8b";
using State = ApprovalState;
using Kind = AnsweredApproval::Kind;

ApprovalRequest request(std::string id, std::int64_t needed = 1) {
  return {.id = std::move(id),
          .principal = "ann",
          .endpoint = "desk",
          .server = "files",
          .method = "tools/call",
          .target = "write",
          .rule = "writes",
          .policy = kPolicy,
          .session = std::string(64, 'b'),
          .salt = std::string(32, '0'),
          .digest = std::string(64, 'a'),
          .params = std::string(64, 'c'),
          .fingerprint = std::string(64, 'd'),
          .expires = kNow + 1500,
          .shown = R"({"arguments":{"path":"/x"}})",
          .needed = needed,
          .made_at = kNow,
          .ends_at = kNow + 900,
          .valid_for = 600};
}

ApprovalAnswer yes(std::string id, std::string person, std::int64_t at = kNow + 10) {
  return {.request = std::move(id),
          .approver = person + "-key",
          .roles = {"boss", "on-call"},
          .proved = "api_key:" + person,
          .person = std::move(person),
          .approves = true,
          .why = "looked at it",
          .proof = "a.b.c",
          .at = at};
}

ApprovalAnswer no(std::string id, std::string person) {
  ApprovalAnswer answer = yes(std::move(id), std::move(person));
  answer.approves = false;
  return answer;
}

class ApprovalsTest : public testing::Test {
 protected:
  ApprovalsTest() { open(); }

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

  Approvals table() {
    return {*store_, [this](const ApprovalStep& step) -> Result<std::string> {
              if (is_record_full_) return fail(ErrorCode::not_recordable, Fault::gateway, "full");
              noted_.push_back(step.request.id + " " + std::string(text(step.request.state)) +
                               " by " + step.by.principal);
              return "a.b.c";
            }};
  }

  /// Empty, or why not.
  std::string add(const ApprovalRequest& one) {
    const auto added = run<Result<bool>>(
        [&](Loop& loop) { return table().add(loop, one, {.principal = one.principal}); });
    return added.has_value() ? "" : std::string(added.error().detail);
  }
  AnsweredApproval answer(const ApprovalAnswer& one) {
    return *run<Result<AnsweredApproval>>(
        [&](Loop& loop) { return table().answer(loop, one, {.principal = one.approver}); });
  }
  bool use(const std::string& id, std::int64_t now) {
    return *run<Result<bool>>(
        [&](Loop& loop) { return table().use(loop, id, "call-1", now, {.principal = "ann"}); });
  }
  bool end(const std::string& id, State state) {
    return *run<Result<bool>>([&](Loop& loop) {
      return table().end(loop, id, state, "given up", kNow + 20, {.principal = "ann"});
    });
  }
  std::vector<std::string> expire(std::int64_t now, const std::string& policy = kPolicy) {
    return *run<Result<std::vector<std::string>>>(
        [&](Loop& loop) { return table().end_outdated(loop, policy, now); });
  }
  std::optional<Approvals::Found> find(const std::string& id) {
    return *run<Result<std::optional<Approvals::Found>>>(
        [&](Loop& loop) { return table().find(loop, id); });
  }
  std::vector<std::string> open_ids(const std::string& after = "", std::int64_t count = 100) {
    const auto found = *run<Result<std::vector<ApprovalRequest>>>(
        [&](Loop& loop) { return table().open(loop, after, count); });
    std::vector<std::string> ids;
    ids.reserve(found.size());
    for (const ApprovalRequest& one : found)
      ids.push_back(one.id);
    return ids;
  }
  State state(const std::string& id) { return find(id)->request.state; }

  Folder folder_;
  std::shared_ptr<Store> store_;
  std::vector<std::string> noted_;
  bool is_record_full_ = false;
};

TEST_F(ApprovalsTest, OneIsUsedOnce) {
  ASSERT_EQ(add(request("1")), "");
  open();  // It survives the process.
  EXPECT_EQ(find("1")->request, request("1"));
  EXPECT_FALSE(use("1", kNow + 5)) << "nobody approved it";
  const AnsweredApproval answered = answer(yes("1", "olga"));
  EXPECT_EQ(answered.kind, Kind::counted);
  EXPECT_EQ(answered.request.state, State::approved);
  EXPECT_EQ(answered.request.ends_at, kNow + 10 + 600);
  EXPECT_EQ(find("1")->answers, std::vector{yes("1", "olga")});
  EXPECT_EQ(find("1")->request.shown, "") << "arguments lie here until it is decided";
  open();
  EXPECT_TRUE(use("1", kNow + 11));
  EXPECT_FALSE(use("1", kNow + 11));
  EXPECT_EQ(state("1"), State::used);
  EXPECT_FALSE(end("1", State::withdrawn)) << "it never goes back";
}

TEST_F(ApprovalsTest, AnApprovalHasItsTime) {
  add(request("1"));
  answer(yes("1", "olga"));
  EXPECT_FALSE(use("1", kNow + 10 + 600));
  add(request("2"));
  EXPECT_EQ(answer(yes("2", "olga", kNow + 900)).kind, Kind::decided) << "too late";
  EXPECT_EQ(state("2"), State::expired);
  add(request("3"));
  EXPECT_EQ(answer(yes("3", "olga", kNow + 899)).kind, Kind::counted);
}

TEST_F(ApprovalsTest, SeveralPersonsAreCountedOnceEach) {
  add(request("1", 2));
  EXPECT_EQ(answer(yes("1", "olga")).request.state, State::pending);
  EXPECT_EQ(answer(yes("1", "olga")).kind, Kind::again);
  EXPECT_EQ(answer(no("1", "olga")).kind, Kind::answered) << "whoever said yes said so";
  EXPECT_EQ(state("1"), State::pending);
  const AnsweredApproval last = answer(yes("1", "paul"));
  EXPECT_EQ(last.request.state, State::approved);
  EXPECT_EQ(last.approved_by, 2);
  EXPECT_EQ(answer(no("1", "rita")).kind, Kind::decided);
}

TEST_F(ApprovalsTest, ADenialBeatsApprovals) {
  add(request("1", 3));
  answer(yes("1", "olga"));
  answer(yes("1", "paul"));
  EXPECT_EQ(answer(no("1", "rita")).request.state, State::denied);
  EXPECT_EQ(answer(yes("1", "sven")).kind, Kind::decided);
  EXPECT_FALSE(use("1", kNow + 11));
}

TEST_F(ApprovalsTest, UnknownOnesAreTold) {
  EXPECT_EQ(answer(yes("nothing", "olga")).kind, Kind::unknown);
  EXPECT_FALSE(use("nothing", kNow));
  EXPECT_FALSE(end("nothing", State::denied));
  EXPECT_FALSE(find("nothing").has_value());
}

TEST_F(ApprovalsTest, EndAndExpireWhatWaitsOrHolds) {
  for (const char* id : {"1", "2", "3", "4"})
    add(request(id));
  answer(yes("2", "olga"));
  EXPECT_TRUE(end("1", State::withdrawn));
  EXPECT_FALSE(end("1", State::withdrawn));
  EXPECT_EQ(open_ids(), (std::vector<std::string>{"2", "3", "4"}));
  EXPECT_EQ(open_ids("2", 1), std::vector<std::string>{"3"});
  EXPECT_EQ(expire(kNow + 609), std::vector<std::string>{});
  EXPECT_EQ(expire(kNow + 610), std::vector<std::string>{"2"});
  EXPECT_EQ(expire(kNow + 900), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(state("3"), State::expired);
  EXPECT_EQ(find("3")->request.shown, "");
}

TEST_F(ApprovalsTest, AnotherPolicyEndsWhatWaitsOrHolds) {
  add(request("1"));
  add(request("2"));
  answer(yes("2", "olga"));
  EXPECT_EQ(expire(kNow + 20, "another"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(state("1"), State::withdrawn);
  EXPECT_EQ(state("2"), State::withdrawn);
}

TEST_F(ApprovalsTest, EachStepIsRecordedBeforeItIsTaken) {
  add(request("1", 2));
  answer(yes("1", "olga"));
  answer(yes("1", "paul"));
  use("1", kNow + 11);
  add(request("2"));
  answer(no("2", "olga"));
  add(request("3"));
  expire(kNow + 900);
  EXPECT_EQ(noted_, (std::vector<std::string>{"1 pending by ann", "1 pending by olga-key",
                                              "1 approved by paul-key", "1 used by ann",
                                              "2 pending by ann", "2 denied by olga-key",
                                              "3 pending by ann", "3 expired by gateway"}));
}

TEST_F(ApprovalsTest, WhatCannotBeRecordedIsNotDone) {
  add(request("1"));
  is_record_full_ = true;
  EXPECT_EQ(add(request("2")), "full");
  EXPECT_FALSE(find("2").has_value());
  EXPECT_FALSE(run<Result<AnsweredApproval>>([&](Loop& loop) {
                 return table().answer(loop, yes("1", "olga"), {});
               }).has_value());
  EXPECT_EQ(state("1"), State::pending);
  is_record_full_ = false;
  answer(yes("1", "olga"));
  is_record_full_ = true;
  EXPECT_FALSE(run<Result<bool>>([&](Loop& loop) {
                 return table().use(loop, "1", "call-1", kNow + 11, {});
               }).has_value());
  EXPECT_EQ(state("1"), State::approved);
}

// A state file that is older than the record, or newer.
TEST_F(ApprovalsTest, TheRecordOverrulesTheStateFile) {
  using Recorded = Approvals::Recorded;
  for (const char* id :
       {"waits", "was-approved", "was-used", "was-denied", "nobody-knows", "ahead", "another-call"})
    add(request(id));
  for (const char* id : {"nobody-knows", "was-used", "ahead"})
    answer(yes(id, "olga"));
  const auto changed = table().follow_record(
      {{"waits", Recorded{.state = State::pending, .at = kNow, .digest = std::string(64, 'a')}},
       {"was-approved", Recorded{.state = State::approved,
                                 .answers = {yes("was-approved", "paul")},
                                 .at = kNow + 5,
                                 .digest = std::string(64, 'a')}},
       {"was-used", Recorded{.state = State::used, .at = kNow + 6, .digest = std::string(64, 'a')}},
       {"was-denied",
        Recorded{.state = State::denied, .at = kNow + 7, .digest = std::string(64, 'a')}},
       {"ahead", Recorded{.state = State::pending, .at = kNow, .digest = std::string(64, 'a')}},
       {"another-call",
        Recorded{.state = State::approved, .at = kNow, .digest = std::string(64, 'b')}},
       {"another",
        Recorded{.state = State::approved, .at = kNow + 7, .digest = std::string(64, 'a')}}},
      kNow + 20);
  EXPECT_EQ(*changed, (std::vector<std::string>{"was-approved", "was-used", "was-denied",
                                                "nobody-knows", "ahead", "another-call"}));
  EXPECT_EQ(state("waits"), State::pending);
  EXPECT_EQ(state("was-used"), State::used);
  EXPECT_EQ(state("was-denied"), State::denied);
  for (const char* id : {"nobody-knows", "ahead", "another-call"})
    EXPECT_EQ(state(id), State::withdrawn) << id;
  EXPECT_EQ(state("was-approved"), State::approved);
  EXPECT_EQ(find("was-approved")->answers, std::vector{yes("was-approved", "paul")});
  EXPECT_EQ(find("was-approved")->request.ends_at, kNow + 5 + 600);
  EXPECT_FALSE(find("another").has_value());
}

TEST_F(ApprovalsTest, AreFoundByWhoCallsWhat) {
  add(request("1"));
  ApprovalRequest other = request("2");
  other.target = "read";
  add(other);
  other = request("3");
  other.principal = "bob";
  add(other);
  add(request("denied"));
  answer(no("denied", "olga"));
  const auto found = [&](std::int64_t now) {
    std::vector<std::string> ids;
    for (const Approvals::Found& one : *run<Result<std::vector<Approvals::Found>>>(
             [&](Loop& loop) { return table().of_target(loop, "ann", "files", "write", now); }))
      ids.push_back(one.request.id + " " + std::to_string(one.answers.size()));
    return ids;
  };
  EXPECT_EQ(found(kNow + 20), (std::vector<std::string>{"1 0", "denied 1"}));
  EXPECT_EQ(found(kNow + 1500), std::vector<std::string>{"1 0"}) << "a denial has its time";
}

TEST_F(ApprovalsTest, OnePrincipalHasItsShare) {
  for (std::int64_t i = 0; i < limits::approvals_of_principal_max; ++i)
    ASSERT_EQ(add(request(std::to_string(i))), "");
  EXPECT_EQ(add(request("more")),
            "the principal's maximum number of calls that wait for an approval is reached");
  ApprovalRequest other = request("other");
  other.principal = "bob";
  EXPECT_EQ(add(other), "");
  end("7", State::denied);
  EXPECT_EQ(add(request("more")), "");
  ApprovalRequest later = request("later");
  later.made_at = kNow + 900;
  EXPECT_EQ(add(later), "") << "those before have expired";
}

TEST_F(ApprovalsTest, AllTogetherHaveTheirBound) {
  add(request("decided"));
  end("decided", State::withdrawn);
  const auto filled = store_->ask_now<bool>([](Database& database) -> Result<bool> {
    const auto rows = database.query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
        " INSERT INTO approvals (id, state, principal, endpoint, server, method, target, rule,"
        " policy, session, salt, digest, params, fingerprint, expires, shown, needed, made_at,"
        " ends_at, valid_for, decided_at)"
        " SELECT 'id' || i, 'pending', 'p' || i, endpoint, server, method, target, rule, policy,"
        " session, salt, digest, params, fingerprint, expires, '{}', needed, made_at, ends_at,"
        " valid_for, 0 FROM n, approvals WHERE id = 'decided'",
        {limits::approvals_max - 1});
    if (!rows.has_value()) return std::unexpected(rows.error());
    return true;
  });
  ASSERT_TRUE(filled.has_value()) << filled.error().detail;
  ApprovalRequest one = request("one");
  one.principal = "zoe";
  EXPECT_EQ(add(one), "") << "a decided one made room";
  EXPECT_FALSE(find("decided").has_value());
  one.id = "two";
  EXPECT_EQ(add(one), "the maximum number of calls that wait for an approval is reached");
}

TEST_F(ApprovalsTest, DecidedOnesAreForgottenInTime) {
  add(request("1"));
  end("1", State::denied);
  ApprovalRequest later = request("2");
  later.made_at = kNow + 19 + limits::decided_approvals_kept;
  add(later);
  EXPECT_TRUE(find("1").has_value());
  later.id = "3";
  later.made_at += 1;
  add(later);
  EXPECT_FALSE(find("1").has_value());
}

}  // namespace
}  // namespace bartizan
