#include "gateway/store/store.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gateway/store/database.h"
#include "tests/config/folder.h"
#include "tests/gateway/gate.h"

namespace bartizan {
namespace {

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    auto opened = Store::open(path_);
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    store_ = *opened;
  }
  ~StoreTest() override { gate_->open(); }

  /// Work that says so when it begins, ends when the gate is open, and leaves a row.
  Store::Work<std::int64_t> slow_insert() {
    return [gate = gate_](Database& database) -> Result<std::int64_t> {
      gate->pass(Gate::Pace::slow);
      return insert(database);
    };
  }
  static Result<std::int64_t> insert(Database& database) {
    const auto inserted = database.query(
        "INSERT INTO revocations (kind, subject, made_by, why, decision_id, made_at)"
        " VALUES ('principal', 'ann', 'bob', 'left', 'd', 7)");
    if (!inserted.has_value()) return std::unexpected(inserted.error());
    return database.inserted();
  }
  static Store::Work<std::int64_t> count() {
    return [](Database& database) { return database.number("SELECT count(*) FROM revocations"); };
  }
  Task<void> ask(Store::Work<std::int64_t> work) {
    ++waiting_;
    answers_.push_back(co_await store_->ask<std::int64_t>(loop_, std::move(work)));
    if (--waiting_ == 0) loop_.stop();
  }

  Task<void> give_up(Loop& loop) {
    const auto answer = co_await store_->ask<std::int64_t>(loop, slow_insert());
    EXPECT_FALSE(answer.has_value());
    loop.stop();
  }

  Folder folder_;
  const std::string path_ = folder_.name("state.db");
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  Loop loop_{0};
  std::shared_ptr<Store> store_;
  std::vector<Result<std::int64_t>> answers_;
  int waiting_ = 0;
};

TEST_F(StoreTest, AnswersInTheOrderInWhichItWasAsked) {
  for (int i = 0; i < 3; ++i)
    spawn(loop_, ask([](Database& database) { return insert(database); }));
  spawn(loop_, ask(count()));
  loop_.run();
  ASSERT_EQ(answers_.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(answers_[i].value(), static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(answers_[3].value(), 3);
  EXPECT_EQ(store_->ask_now(count()).value(), 3);
}

TEST_F(StoreTest, WaitsNoLongerThanItsDeadlineAndDoesItAllTheSame) {
  spawn(loop_, ask(slow_insert()));
  loop_.run_in_turn([this] {
    gate_->wait_for(1);
    loop_.wheel().advance(limits::state_deadline * 2 / limits::timer_tick);
  });
  loop_.run();
  ASSERT_EQ(answers_.size(), 1U);
  ASSERT_FALSE(answers_[0].has_value());
  EXPECT_EQ(answers_[0].error().code, ErrorCode::timed_out);
  EXPECT_TRUE(answers_[0].error().detail.contains("may still be applied"));
  gate_->open();
  EXPECT_EQ(store_->ask_now(count()).value(), 1);
}

TEST_F(StoreTest, RefusesAtOnceWhereTooMuchWaits) {
  spawn(loop_, ask(slow_insert()));
  loop_.run_in_turn([this] {
    gate_->wait_for(1);
    // The first one is being done; so many wait behind it.
    for (std::size_t i = 0; i < limits::state_jobs_max; ++i)
      spawn(loop_, ask(count()));
    spawn(loop_, ask(count()));
    ASSERT_EQ(answers_.size(), 1U) << "the last one alone has an answer already";
    EXPECT_EQ(answers_[0].error().code, ErrorCode::overloaded);
    EXPECT_TRUE(answers_[0].error().detail.contains("does not keep up"));
    EXPECT_FALSE(store_->ask_now(count()).has_value());
    gate_->open();
  });
  loop_.run();
  ASSERT_EQ(answers_.size(), limits::state_jobs_max + 2);
  for (std::size_t i = 1; i < answers_.size(); ++i)
    EXPECT_EQ(answers_[i].value(), 1);
  EXPECT_EQ(store_->ask_now(count()).value(), 1) << "there is room again";
}

TEST_F(StoreTest, DoesAllThatItTookBeforeItIsClosed) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(store_
                    ->tell([](Database& database) -> Result<void> {
                      static_cast<void>(insert(database));
                      return {};
                    })
                    .has_value());
  }
  store_->close();
  const Result<std::int64_t> late = store_->ask_now(count());
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ErrorCode::closed);
  spawn(loop_, ask(count()));
  loop_.run();
  EXPECT_EQ(answers_.at(0).error().code, ErrorCode::closed);
  store_.reset();
  const auto again = Store::open(path_);
  ASSERT_TRUE(again.has_value()) << again.error().detail;
  EXPECT_EQ((*again)->ask_now(count()).value(), 100);
}

TEST_F(StoreTest, AnswersNobodyWhoGaveUpAndWhoseLoopHasEnded) {
  auto other = std::make_unique<Loop>(std::uint16_t{1});
  spawn(*other, give_up(*other));
  other->run_in_turn([&] {
    gate_->wait_for(1);
    other->wheel().advance(limits::state_deadline * 2 / limits::timer_tick);
  });
  other->run();
  other.reset();
  gate_->open();
  EXPECT_EQ(store_->ask_now(count()).value(), 1);
}

TEST_F(StoreTest, CountsWhatFailsAndSaysThatItWorksAgain) {
  EXPECT_FALSE(store_->is_failing());
  const auto broken = store_->ask_now<std::int64_t>(
      [](Database& database) { return database.number("SELECT x FROM nowhere"); });
  ASSERT_FALSE(broken.has_value());
  EXPECT_TRUE(broken.error().detail.starts_with("state file " + path_)) << broken.error().detail;
  EXPECT_TRUE(store_->is_failing());
  EXPECT_EQ(store_->failures(), 1U);
  EXPECT_TRUE(store_->ask_now(count()).has_value());
  EXPECT_FALSE(store_->is_failing());
  EXPECT_EQ(store_->failures(), 1U);
}

}  // namespace
}  // namespace bartizan
