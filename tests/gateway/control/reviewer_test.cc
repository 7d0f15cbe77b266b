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

using Reviewed = Reloaded<ConfigProblems>;

ConfigProblem warning(std::string message) {
  return {.severity = ConfigProblem::Severity::warning, .message = std::move(message)};
}

/// Computes what has the digest `long` when the gate is open, and anything else at once. What has
/// the digest `wrong` is.
ConfigProblems compute_at(Gate& gate, const Config& config) {
  if (config.digest == "wrong") return {{.message = "wrong"}};
  if (config.digest == "long") gate.pass(Gate::Pace::slow);
  return {warning("of " + config.digest)};
}

/// Looks at what `slow` names when the gate is open, and at anything else at once.
ConfigProblems look_at(Gate& gate, const Config& config) {
  gate.pass(config.digest == "slow" ? Gate::Pace::slow : Gate::Pace::at_once);
  return {warning("on this machine")};
}

/// Compares what has the digest `large` until that is over, and anything else at once.
ConfigProblems compare_at(Gate& gate, const ConfigSources& before, const Config& config,
                          const std::function<bool()>& is_over) {
  gate.pass(Gate::Pace::at_once);
  while (config.digest == "large" && !is_over())
    std::this_thread::yield();
  return {warning(config.digest + " beside " + before.files.front().name)};
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
      co_await yield_turn(*loop_);
      reviewed = co_await reviewer_->review(*loop_, {});
    }
    reviewed_.push_back(std::move(reviewed));
    loop_->stop();
  }
  void compare(const std::string& before, std::string digest) {
    Config config;
    config.digest = std::move(digest);
    const ConfigSources sources{.files = {{.name = before}}};
    reviewer_->compare(*loop_, std::make_shared<const ConfigSources>(sources), std::move(config));
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
      .find_problems = [gate = gate_](const Config& config) { return compute_at(*gate, config); },
      .find_machine_problems = [gate =
                                    gate_](const Config& config) { return look_at(*gate, config); },
      .find_widening =
          [gate = gate_](const ConfigSources& before, const Config& config, const auto& is_over) {
            return compare_at(*gate, before, config, is_over);
          },
      .tell_widening =
          [this](const ConfigProblems& wider) {
            wider_.push_back(wider.front().message);
            loop_->stop();
          }});
  std::vector<Reviewed> reviewed_;
  std::vector<std::string> wider_;
};

TEST_F(ReviewerTest, TellsWhatTheReviewSays) {
  spawn(*loop_, review({"a", "b"}));
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 2U);
  for (const Reviewed& reviewed : reviewed_)
    ASSERT_EQ(reviewed.value().size(), 2U);
  EXPECT_EQ(reviewed_[0].value()[0].message, "of a");
  EXPECT_EQ(reviewed_[0].value()[1].message, "on this machine");
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

// A disk that does not answer is no reason to give for rules that are many.
TEST_F(ReviewerTest, WaitsForWhatIsOnlyComputed) {
  spawn(*loop_, review({"long"}));
  loop_->run_in_turn([this] {
    gate_->wait_for(1);
    let_time_pass();
    asio::post(loop_->io(), [this] {
      let_time_pass();
      gate_->open();
    });
  });
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 1U);
  ASSERT_TRUE(reviewed_[0].has_value()) << reviewed_[0].error().detail;
  EXPECT_EQ(reviewed_[0].value().at(0).message, "of long");
}

TEST_F(ReviewerTest, LooksAtNothingThatIsWrongByItself) {
  spawn(*loop_, review({"wrong"}));
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 1U);
  ASSERT_EQ(reviewed_[0].value().size(), 1U);
  EXPECT_EQ(gate_->asked(), 0);
}

TEST_F(ReviewerTest, TellsWhatIsWiderWithoutBeingWaitedFor) {
  compare("a", "large");
  spawn(*loop_, review({"b"}));
  loop_->run();
  ASSERT_EQ(reviewed_.size(), 1U);
  EXPECT_TRUE(reviewed_[0].has_value());
  EXPECT_TRUE(wider_.empty());
  // What takes its place is compared with what it was to be compared with.
  loop_->io().restart();
  compare("large", "c");
  loop_->run();
  EXPECT_EQ(wider_, std::vector<std::string>{"c beside a"});
  loop_->io().restart();
  compare("c", "d");
  loop_->run();
  EXPECT_EQ(wider_, (std::vector<std::string>{"c beside a", "d beside c"}));
}

TEST_F(ReviewerTest, EndsItsComparisonWithItself) {
  compare("a", "large");
  gate_->wait_for(1);
  reviewer_.reset();
  wait_for_threads();
  loop_->io().run_for(std::chrono::milliseconds(0));
  EXPECT_TRUE(wider_.empty());
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
