#include "gateway/record/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "audit/verify.h"
#include "schemas/base/limits.h"
#include "tests/audit/chain_fixture.h"
#include "tests/audit/file_size_limit.h"

namespace bartizan {
namespace {

using Durability = AuditConfig::Durability;

class RecorderTest : public ChainTest {
 protected:
  static constexpr std::string_view kShortLived = "a_target_that_ends_before_anybody_waits";

  void open(Durability durability) {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << opened.error().detail;
    config_.durability = durability;
    // The records are old, and a slow machine looks at the file's age before a test ends.
    config_.rotate_age = std::chrono::years(100);
    log_ = std::make_unique<SharedLog>(std::move(opened->log), config_);
    recorder_ = std::make_unique<Recorder>(loop_, *log_);
  }

  static Record permit(std::string_view target) {
    Record record;
    record.time = std::chrono::system_clock::time_point(std::chrono::seconds(1'795'262'400));
    record.target = target;
    record.decision = "permit";
    return record;
  }

  /// Commits those at once, each as a call of its own, and answers how each ended.
  std::vector<Result<void>> commit_together(std::size_t count) {
    std::vector<Result<void>> ends;
    for (std::size_t i = 0; i < count; ++i)
      spawn(loop_, commit_one_of(count, ends));
    loop_.run();
    loop_.io().restart();
    return ends;
  }

  /// The loop has nothing to do for so long.
  void run_for(std::chrono::milliseconds time) {
    SteadyTimer timer(loop_.executor());
    timer.expires_after(time);
    timer.async_wait([this](const error_code&) { loop_.stop(); });
    loop_.run();
    loop_.io().restart();
  }

  Task<void> commit_one_of(std::size_t count, std::vector<Result<void>>& ends) {
    ends.push_back(co_await recorder_->commit(permit("t")));
    if (ends.size() == 1) {
      lines_at_first_end_ = lines();
      pending_at_first_end_ = recorder_->pending();
    }
    if (ends.size() == count) loop_.stop();
  }

  Task<void> commit_and_stop(const Record& record) {
    EXPECT_TRUE((co_await recorder_->commit(record)).has_value());
    loop_.stop();
  }

  /// A call that looks into the file when it goes on.
  Task<void> commit_and_look(std::size_t& lines_after) {
    EXPECT_EQ(lines(), 0U);
    const Result<void> committed = co_await recorder_->commit(permit("t"));
    EXPECT_TRUE(committed.has_value());
    lines_after = lines();
  }

  /// A call whose record and wait part: the wait begins when all is written.
  Task<void> commit_and_wait_late(bool& is_recorded) {
    Recorder::Commit wait = commit_of_short_life();
    EXPECT_EQ(recorder_->pending(), 1U);
    while (recorder_->pending() > 0)
      co_await yield_turn(loop_);
    is_recorded = (co_await wait).has_value();
    loop_.stop();
  }

  Recorder::Commit commit_of_short_life() {
    const std::string target(kShortLived);
    return recorder_->commit(permit(target));
  }

  /// Runs everything that was posted.
  void settle() {
    asio::post(loop_.io(), [&] { asio::post(loop_.io(), [&] { loop_.stop(); }); });
    loop_.run();
    loop_.io().restart();
  }

  std::size_t lines() const {
    const std::string text = read(path());
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  AuditConfig config_;
  Loop loop_{0};
  std::unique_ptr<SharedLog> log_;
  std::unique_ptr<Recorder> recorder_;
  std::size_t lines_at_first_end_ = 0;
  std::size_t pending_at_first_end_ = 0;
  std::array<int, 2> left_{};  ///< Calls of each worker that have not ended.
};

TEST_F(RecorderTest, WritesTheCallsOfOneTurnTogether) {
  for (const Durability durability : {Durability::kernel, Durability::disk}) {
    SCOPED_TRACE(durability == Durability::kernel ? "kernel" : "disk");
    std::filesystem::remove(path());
    open(durability);
    const auto ends = commit_together(20);
    for (const Result<void>& end : ends)
      EXPECT_TRUE(end.has_value());
    // When the first call goes on, everybody's record is there: they were one write.
    EXPECT_EQ(lines_at_first_end_, 20U);
    EXPECT_EQ(pending_at_first_end_, 0U);
    EXPECT_EQ(lines(), 20U);
    EXPECT_EQ(log_->head().sequence, 20U);
    EXPECT_FALSE(log_->is_failing());
    const AuditVerdict verdict = verify_audit({path()}, log_->head());
    EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  }
}

TEST_F(RecorderTest, ACallGoesOnOnlyWhenItsRecordIsThere) {
  open(Durability::kernel);
  std::size_t lines_after = 0;
  spawn(loop_, commit_and_look(lines_after));
  settle();
  EXPECT_EQ(lines_after, 1U);
}

TEST_F(RecorderTest, WithAsyncNobodyWaits) {
  open(Durability::async);
  std::size_t lines_after = 1;
  spawn(loop_, commit_and_look(lines_after));
  settle();
  EXPECT_EQ(lines_after, 0U);
  EXPECT_EQ(lines(), 1U);
}

TEST_F(RecorderTest, RefusesWhatItCannotWriteAndTellsTheGapLater) {
  open(Durability::kernel);
  ASSERT_TRUE(commit_together(1).front().has_value());
  {
    const FileSizeLimit full(std::filesystem::file_size(path()));
    for (const Result<void>& end : commit_together(3)) {
      ASSERT_FALSE(end.has_value());
      EXPECT_EQ(error_text(end.error().code), error_text(ErrorCode::not_recordable));
      EXPECT_EQ(end.error().fault, Fault::gateway);
    }
    EXPECT_TRUE(log_->is_failing());
    EXPECT_EQ(log_->failures(), 1U);
    recorder_->note(permit("refused"));
    settle();
    log_->count_lost();
    EXPECT_EQ(log_->failures(), 2U);
    EXPECT_EQ(lines(), 1U);
  }
  ASSERT_TRUE(commit_together(2).front().has_value());
  EXPECT_FALSE(log_->is_failing());
  EXPECT_EQ(lines(), 4U);
  const std::string text = read(path());
  EXPECT_NE(text.find(R"("kind":"gap")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("count":5)"), std::string::npos) << text;
  const AuditVerdict verdict = verify_audit({path()}, log_->head());
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;

  // Told once.
  ASSERT_TRUE(commit_together(1).front().has_value());
  EXPECT_EQ(lines(), 5U);
}

// What a record says is taken before anybody waits, and the wait may begin when all is over.
TEST_F(RecorderTest, TakesARecordAtOnceHoweverLateItsWaitBegins) {
  open(Durability::kernel);
  bool is_recorded = false;
  spawn(loop_, commit_and_wait_late(is_recorded));
  loop_.run();
  EXPECT_TRUE(is_recorded);
  EXPECT_TRUE(read(path()).contains(kShortLived));
}

TEST_F(RecorderTest, WritesANoteWithoutAWaiter) {
  open(Durability::disk);
  recorder_->note(permit("refused"));
  EXPECT_EQ(recorder_->pending(), 1U);
  settle();
  EXPECT_EQ(recorder_->pending(), 0U);
  EXPECT_EQ(lines(), 1U);
}

TEST_F(RecorderTest, WritesTheRecordOfWhoGaveUpWaiting) {
  open(Durability::disk);
  {
    const Recorder::Commit dropped = recorder_->commit(permit("t"));
  }
  ASSERT_TRUE(commit_together(1).front().has_value());
  EXPECT_EQ(lines(), 2U);
}

// A call that goes on has its record in the file, or in the spool.
TEST_F(RecorderTest, SpoolsWhatFollowsCloselyAndIsInTheFileSoonAfter) {
  open(Durability::kernel);
  constexpr std::size_t kWrites = 40;
  for (std::size_t write = 1; write <= kWrites; ++write)
    EXPECT_TRUE(commit_together(1).front().has_value());
  EXPECT_TRUE(std::filesystem::exists(path() + ".spool"));
  EXPECT_LT(lines(), kWrites);
  const AuditVerdict busy = verify_audit({path()}, log_->head());
  EXPECT_TRUE(busy.intact) << busy.first_problem;
  EXPECT_EQ(busy.records, kWrites);
  run_for(2 * limits::timer_tick);
  EXPECT_EQ(lines(), kWrites);
}

TEST_F(RecorderTest, DoesNotSpoolForAClientThatCallsNowAndThen) {
  open(Durability::kernel);
  for (std::size_t write = 1; write <= 20; ++write) {
    commit_together(1);
    run_for(limits::timer_tick + std::chrono::milliseconds(5));
    EXPECT_EQ(lines(), write);
  }
  EXPECT_FALSE(std::filesystem::exists(path() + ".spool"));
}

/// What brings all that is spooled to the file at once, and what does not.
struct Urgency {
  std::string_view name;
  Record record;
  bool is_at_once;
};

Record record_of(RecordKind kind, std::string_view decision, std::string_view reason) {
  Record record;
  record.kind = kind;
  record.decision = decision;
  record.reason = reason;
  return record;
}

TEST_F(RecorderTest, BringsIncidentsToTheFileAtOnce) {
  using enum RecordKind;
  Record observed = record_of(decision, "permit", "");
  observed.would = {"forbidden"};
  const std::array cases{
      Urgency{"a permit", record_of(decision, "permit", ""), false},
      Urgency{"an outcome", record_of(outcome, "", ""), false},
      Urgency{"a refusal of a call", record_of(decision, "deny", "forbidden"), true},
      Urgency{"an observed refusal", observed, true},
      Urgency{"a result that was withheld", record_of(outcome, "", "content_withheld"), true},
      Urgency{"a refusal before a call is known", record_of(refusal, "", "credentials"), true},
      Urgency{"a server that failed", record_of(server, "", ""), true}};
  // Whether the file had all 31 lines; nothing where the 30 before did not wait.
  const auto is_in_file = [&](const Record& record) -> std::optional<bool> {
    std::filesystem::remove(path());
    open(Durability::kernel);
    for (int write = 0; write < 30; ++write)
      commit_together(1);
    const bool wait = lines() < 30U;
    spawn(loop_, commit_and_stop(record));
    loop_.run();
    loop_.io().restart();
    return wait ? std::optional(lines() == 31U) : std::nullopt;
  };
  for (const Urgency& one : cases) {
    // A machine that stalls for 50 ms brings everything to the file.
    bool has_waited = false;
    for (int attempt = 0; attempt < 20 && !has_waited; ++attempt) {
      const std::optional<bool> found = is_in_file(one.record);
      has_waited = found == one.is_at_once;
      if (one.is_at_once) EXPECT_NE(found, false) << one.name;
    }
    EXPECT_TRUE(has_waited) << one.name;
  }
}

TEST_F(RecorderTest, WhatWaitsForTheDiskIsNotSpooled) {
  open(Durability::disk);
  for (std::size_t turn = 1; turn <= 20; ++turn) {
    commit_together(8);
    EXPECT_EQ(lines(), turn * 8);
  }
  EXPECT_FALSE(std::filesystem::exists(path() + ".spool"));
}

/// Two workers at once, each of which commits so many calls, twenty of them in each of its turns.
TEST_F(RecorderTest, WorkersShareOneChain) {
  constexpr int kCalls = 1000;
  constexpr int kTogether = 20;
  const auto work = [&](Loop& loop, Recorder& recorder) {
    for (int i = 0; i < kTogether; ++i)
      spawn(loop, [](Loop& its_loop, Recorder& to, int& left) -> Task<void> {
        for (int call = 0; call < kCalls / kTogether; ++call) {
          const Result<void> committed = co_await to.commit(permit("t"));
          EXPECT_TRUE(committed.has_value());
          if (--left == 0) its_loop.stop();
        }
      }(loop, recorder, left_[loop.index()]));
    loop.run();
    loop.io().restart();
  };
  std::uint64_t records = 0;
  for (const Durability durability : {Durability::disk, Durability::kernel}) {
    std::filesystem::remove(path());
    open(durability);
    Loop other(1);
    Recorder recorder(other, *log_);
    left_[0] = left_[1] = kCalls;
    {
      std::jthread thread([&] { work(other, recorder); });
      work(loop_, *recorder_);
    }
    EXPECT_EQ(std::filesystem::exists(path() + ".spool"), durability == Durability::kernel);
    log_->drain();
    records = log_->head().sequence;
    EXPECT_EQ(records, 2U * kCalls);
    EXPECT_EQ(lines(), records);
    const AuditVerdict verdict = verify_audit({path()}, log_->head());
    EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  }
}

TEST_F(RecorderTest, WhatTheDiskDoesNotTakeFromTheSpoolIsRefusedAndThenThere) {
  open(Durability::kernel);
  for (std::size_t turn = 1; turn <= 18; ++turn)
    commit_together(10);
  ASSERT_TRUE(std::filesystem::exists(path() + ".spool"));
  {
    const FileSizeLimit full(std::filesystem::file_size(path()));
    log_->drain();
    EXPECT_TRUE(log_->is_failing());
    for (const Result<void>& end : commit_together(10))
      EXPECT_FALSE(end.has_value());
  }
  for (const Result<void>& end : commit_together(10))
    EXPECT_TRUE(end.has_value());
  EXPECT_FALSE(log_->is_failing());
  // One more tells of the gap.
  EXPECT_EQ(lines(), 190U + 1);
  const AuditVerdict verdict = verify_audit({path()}, log_->head());
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
}

}  // namespace
}  // namespace bartizan
