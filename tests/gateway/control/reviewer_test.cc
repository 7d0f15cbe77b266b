#include "gateway/control/reviewer.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gateway/gate.h"

namespace bartizan {
namespace {

using Reviewed = Reloaded<std::vector<ConfigProblem>>;

/// Reviews what has the digest `slow` when the gate is open, and anything else at once.
std::vector<ConfigProblem> review_at(Gate& gate, const Config& config) {
  gate.pass(config.digest == "slow" ? Gate::Pace::slow : Gate::Pace::at_once);
  return {{.severity = ConfigProblem::Severity::warning, .message = "of " + config.digest}};
}

/// Compares what has the digest `large` until that is over, and nothing else.
std::vector<ConfigProblem> compare_at(Gate& gate, const Config& config,
                                      const std::function<bool()>& is_over) {
  if (config.digest != "large") return {};
  gate.pass(Gate::Pace::at_once);
  while (!is_over())
    std::this_thread::yield();
  return {{.message = "cut short"}};
}

class ReviewerTest : public testing::Test {
 protected:
  ~ReviewerTest() override { gate_->open(); }

  Task<void> review(std::vector<std::string> digests) {
    for (std::string& digest : digests) {
      Config config;
      config.digest = std::move(digest);
      reviewed_.push_back(co_await reviewer_->review(*loop_, std::move(config)));
    }
    loop_->stop();
  }
  /// Until a review has come back, so that the next one is let in.
  Task<void> review_when_free() {
    Reviewed reviewed = co_await reviewer_->review(*loop_, {});
    while (!reviewed.has_value()) {
      co_await next_turn(*loop_);
      reviewed = co_await reviewer_->review(*loop_, {});
    }
    reviewed_.push_back(std::move(reviewed));
    loop_->stop();
  }
  void let_time_pass() { loop_->wheel().advance(Reviewer::kDeadline * 2 / limits::timer_tick); }
  /// Runs the loop; in its first turn the review hangs, and its time is over.
  void run_out_of_time() {
    loop_->run_in_turn([this] {
      gate_->wait_for(1);
      let_time_pass();
    });
    loop_->run();
  }
  void wait_for_threads() {
    while (gate_.use_count() > 1)
      std::this_thread::yield();
  }

  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<Loop> loop_ = std::make_unique<Loop>(std::uint16_t{0});
  // A thread that hangs keeps what it looks into.
  std::unique_ptr<Reviewer> reviewer_ = std::make_unique<Reviewer>(Review{
      .find_problems = [gate = gate_](const Config& config) { return review_at(*gate, config); },
      .find_widening = [gate = gate_](
                           const Config& config,
                           const auto& is_over) { return compare_at(*gate, config, is_over); }});
  std::vector<Reviewed> reviewed_;
};

TEST_F(ReviewerTest, TellsWhatTheReviewSays) {
  spawn(*loop_, review({"a", "b"}));
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 2U);
  for (const Reviewed& reviewed : reviewed_)
    ASSERT_EQ(reviewed.value().size(), 1U);
  EXPECT_EQ(reviewed_[0].value()[0].message, "of a");
  EXPECT_EQ(reviewed_[1].value()[0].message, "of b");
}

TEST_F(ReviewerTest, RefusesWhatHangsAndHoldsOneThread) {
  spawn(*loop_, review({"slow", "b"}));
  run_out_of_time();
  ASSERT_EQ(reviewed_.size(), 2U);
  EXPECT_EQ(reviewed_[0].error().detail,
            "a root, folder, secret or certificate that it names does not answer within 10 s; mend "
            "its disk, and send SIGHUP");
  EXPECT_EQ(reviewed_[1].error().detail,
            "a root, folder, secret or certificate of a configuration that was refused before "
            "still does not answer; mend its disk, and send SIGHUP");
  EXPECT_EQ(gate_->asked(), 1);
}

TEST_F(ReviewerTest, ReviewsAgainWhenWhatHungHasEnded) {
  spawn(*loop_, review({"slow"}));
  run_out_of_time();
  gate_->open();
  loop_->io().restart();
  spawn(*loop_, review_when_free());
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 2U);
  EXPECT_FALSE(reviewed_[0].has_value());
  EXPECT_EQ(reviewed_[1].value().at(0).message, "of ");
}

// What is wrong is known by then; what is wider refuses nothing, and is not waited for.
TEST_F(ReviewerTest, RefusesNothingThatIsComparedForTooLong) {
  spawn(*loop_, review({"large"}));
  loop_->run_in_turn([this] {
    gate_->wait_for(2);
    // What is wrong was told before, and so stands before this.
    asio::post(loop_->io(), [this] { let_time_pass(); });
  });
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 1U);
  ASSERT_EQ(reviewed_[0].value().size(), 2U);
  EXPECT_EQ(reviewed_[0].value()[0].message, "of large");
  EXPECT_EQ(reviewed_[0].value()[1].message,
            "not compared in time with what was loaded; bartizan diff compares without haste");
  reviewer_.reset();
  wait_for_threads();
}

TEST_F(ReviewerTest, EndsItsComparisonWithItself) {
  spawn(*loop_, review({"large"}));
  loop_->run_in_turn([this] {
    gate_->wait_for(2);
    reviewer_.reset();
    wait_for_threads();
    let_time_pass();
  });
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 1U);
}

TEST_F(ReviewerTest, TouchesNoLoopAfterItsEnd) {
  spawn(*loop_, review({"slow"}));
  run_out_of_time();
  reviewer_.reset();
  loop_.reset();
  gate_->open();
  wait_for_threads();
}

}  // namespace
}  // namespace bartizan
