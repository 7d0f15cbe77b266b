// Orders whose state file does not do at once, or not at all, what it is asked.
#include "gateway/status/revocation_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/identity/revocation_table.h"
#include "gateway/store/database.h"
#include "tests/gateway/call/worker_test.h"
#include "tests/gateway/gate.h"
#include "tests/policy/sample.h"

namespace bartizan {
namespace {

using AnswerKind = RevocationAnswer::Kind;
using Kind = Revocation::Kind;
using std::chrono::sys_seconds;

const std::string kDigest(64, 'a');
const std::string kOtherDigest(64, 'b');

class RevocationOrdersTest : public WorkerTest {
 protected:
  RevocationOrdersTest() {
    Config config = sample_config();
    config.auth.api_keys = {{.name = "laptop", .principal = "ann", .sha256 = kDigest}};
    begin(std::move(config), {});
    gateway_->store = *Store::open(path("state.db"));
    gateway_->revocations = std::make_shared<RevocationTable>(1);
  }
  ~RevocationOrdersTest() override {
    gate_.open();
    gateway_->store->close();
  }

  /// The disk does nothing from now on until the gate opens.
  void stall() {
    ASSERT_TRUE(gateway_->store
                    ->tell([this](Database&) -> Result<void> {
                      gate_.pass(Gate::Pace::slow);
                      return {};
                    })
                    .has_value());
  }
  std::vector<Revocation> kept() {
    return Revocations(*gateway_->store).all(sys_seconds()).value_or(std::vector<Revocation>());
  }

  Task<void> order(Kind kind, std::string subject) {
    RevocationOrder order{.kind = kind, .subject = std::move(subject), .why = "w"};
    answers_.push_back(co_await order_revocation(worker().loop, *gateway_, std::move(order), by_));
    if (answers_.size() == expected_) worker().loop.stop();
  }
  Task<void> lift(std::int64_t id) {
    answers_.push_back(co_await lift_revocation(worker().loop, *gateway_, id, by_));
    if (answers_.size() == expected_) worker().loop.stop();
  }
  /// Runs these at once, and answers what they were answered, in the order of their ends.
  template <class... Tasks>
  std::vector<RevocationAnswer> run_all(Tasks... tasks) {
    answers_.clear();
    expected_ = sizeof...(tasks);
    (spawn(worker().loop, std::move(tasks)), ...);
    worker().loop.run();
    worker().loop.io().restart();
    return answers_;
  }
  /// Lines of the record with that text.
  std::size_t count_of(std::string_view text) {
    const std::string record = read(path());
    std::size_t count = 0;
    for (std::size_t at = record.find(text); at != record.npos; at = record.find(text, at + 1))
      ++count;
    return count;
  }

  Gate gate_;
  std::vector<RevocationAnswer> answers_;
  std::size_t expected_ = 1;
  const Operator by_{.source = "uid:0", .transport = "admin"};
};

TEST_F(RevocationOrdersTest, LiftNothingThatTheDiskForgetsTooLate) {
  ASSERT_EQ(run_all(order(Kind::principal, "ann")).front().kind, AnswerKind::done);
  const std::vector<Revocation> held = kept();
  ASSERT_EQ(held.size(), 1U);
  stall();
  EXPECT_EQ(run_all(lift(held.front().id)).front().kind, AnswerKind::not_done);
  EXPECT_TRUE(gateway_->revocations->find(held.front().id).has_value());
  gate_.open();
  EXPECT_EQ(kept(), held) << "the next start has it in force, as this one";
  EXPECT_EQ(run_all(lift(held.front().id)).front().kind, AnswerKind::done);
  EXPECT_TRUE(kept().empty());
}

TEST_F(RevocationOrdersTest, KeepNothingThatTheDiskKeepsTooLate) {
  stall();
  EXPECT_EQ(run_all(order(Kind::principal, "ann")).front().kind, AnswerKind::not_done);
  gate_.open();
  EXPECT_TRUE(kept().empty());
  EXPECT_TRUE(gateway_->revocations->empty());
}

TEST_F(RevocationOrdersTest, LiftOnceWhatTwoLiftAtOnce) {
  ASSERT_EQ(run_all(order(Kind::principal, "ann")).front().kind, AnswerKind::done);
  const std::int64_t id = kept().front().id;
  const auto answers = run_all(lift(id), lift(id));
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(std::ranges::count(answers, AnswerKind::done, &RevocationAnswer::kind), 1);
  EXPECT_EQ(std::ranges::count(answers, AnswerKind::unknown, &RevocationAnswer::kind), 1);
  EXPECT_EQ(count_of(R"("kind":"lift")"), 3U);
  EXPECT_EQ(count_of("not lifted after all: somebody else lifted it"), 1U);
}

TEST_F(RevocationOrdersTest, AreAboutConfiguredKeys) {
  const struct {
    std::string_view name;
    std::string subject;
    AnswerKind want;
  } rows[] = {
      {"its name", "laptop", AnswerKind::done},
      {"its digest", kDigest, AnswerKind::done},
      {"another name", "desktop", AnswerKind::unknown},
      {"a digest that no key has", kOtherDigest, AnswerKind::unknown},
      {"a part of its digest", kDigest.substr(1), AnswerKind::unknown},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const RevocationAnswer answer = run_all(order(Kind::key, row.subject)).front();
    EXPECT_EQ(answer.kind, row.want) << answer.why;
    if (row.want == AnswerKind::done) EXPECT_EQ(answer.revocation.subject, kDigest);
  }
}

}  // namespace
}  // namespace bartizan
