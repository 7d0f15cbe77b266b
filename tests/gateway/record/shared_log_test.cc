#include "gateway/record/shared_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "audit/chain_files.h"
#include "audit/find_hash.h"
#include "audit/verify.h"
#include "gateway/record/recorder.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

class SharedLogTest : public ChainTest {
 protected:
  void open() {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << opened.error().detail;
    descriptor_ = opened->log.descriptor();
    // The thread looks when it is asked to only, so that each test knows what has happened.
    log_ = std::make_unique<SharedLog>(std::move(opened->log), config_, hours(1));
  }
  static EncodedRecord now_record(std::string_view target = "t") {
    return encode_record(
        {.kind = RecordKind::decision, .time = system_clock::now(), .target = target});
  }
  void append(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(log_->append({now_record()}).has_value());
  }
  AuditVerdict verify() { return verify_audit(chain_paths(path()), log_->head()); }
  std::string text() const {
    std::string all;
    for (const std::string& file : chain_paths(path()))
      all += read(file);
    return all;
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++found;
    return found;
  }

  AuditConfig config_;
  int descriptor_ = -1;
  std::unique_ptr<SharedLog> log_;
};

TEST_F(SharedLogTest, BeginsAnotherFileWhenOneIsFull) {
  config_.rotate_size = 4096;
  open();
  append(60);
  log_->keep_up(system_clock::now());
  EXPECT_GE(log_->rotations(), 1U);
  EXPECT_EQ(chain_paths(path()).size(), log_->rotations() + 1);
  const AuditVerdict verdict = verify();
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
}

TEST_F(SharedLogTest, BeginsAnotherFileWhenOneIsOld) {
  open();
  append(1);
  log_->keep_up(system_clock::now() + hours(23));
  EXPECT_EQ(log_->rotations(), 0U);
  log_->keep_up(system_clock::now() + hours(25));
  EXPECT_EQ(log_->rotations(), 1U);
  // Nothing but its beginning is in it: there is nothing to close.
  log_->keep_up(system_clock::now() + hours(50));
  EXPECT_EQ(log_->rotations(), 1U);
  append(1);
  // A clock that was set back makes nothing old.
  log_->keep_up(system_clock::now() - hours(1000));
  EXPECT_EQ(log_->rotations(), 1U);
  EXPECT_TRUE(verify().intact);
}

TEST_F(SharedLogTest, AnotherConfigurationHoldsFromNowOn) {
  open();
  append(10);
  AuditConfig other = config_;
  other.rotate_size = 4096;
  other.rotate_age = hours(1);
  other.durability = AuditConfig::Durability::disk;
  log_->configure(other);
  EXPECT_EQ(log_->durability(), AuditConfig::Durability::disk);
  log_->keep_up(system_clock::now() + hours(2));
  EXPECT_EQ(log_->rotations(), 1U);
}

TEST_F(SharedLogTest, RemovesWhatIsOlderThanTheRetentionAndSaysSoFirst) {
  config_.rotate_size = 4096;
  config_.retention = hours(48);
  open();
  for (int i = 0; i < 3; ++i) {
    append(30);
    log_->keep_up(system_clock::now());
  }
  const std::vector<std::string> before = chain_paths(path());
  ASSERT_GE(before.size(), 3U);
  write(path("audit-20200101T000000Z-000000000001.jsonl"), "not of this chain\n");
  log_->keep_up(system_clock::now() + hours(47));
  EXPECT_EQ(log_->removed_files(), 0U);
  // The open file stays, however old it is; it is closed first, being old itself.
  const auto later = system_clock::now() + hours(49);
  // One in each turn: who waits for the disk comes in between.
  for (std::size_t turn = 1; turn < before.size(); ++turn) {
    EXPECT_TRUE(log_->keep_up(later));
    EXPECT_EQ(log_->removed_files(), turn);
  }
  EXPECT_FALSE(log_->keep_up(later));
  EXPECT_EQ(log_->removed_files(), before.size() - 1);
  EXPECT_EQ(count(text(), R"("kind":"file_removed")"), before.size() - 1);
  for (std::size_t i = 0; i + 1 < before.size(); ++i)
    EXPECT_FALSE(std::filesystem::exists(before[i]));
  EXPECT_TRUE(std::filesystem::exists(path("audit-20200101T000000Z-000000000001.jsonl")));
  const AuditVerdict verdict = verify();
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.notes.size(), 1U);
}

TEST_F(SharedLogTest, AFileThatSomebodyNeedsStaysBeyondItsRetention) {
  config_.rotate_size = 4096;
  config_.retention = hours(48);
  open();
  for (int i = 0; i < 3; ++i) {
    append(30);
    log_->keep_up(system_clock::now());
  }
  std::uint64_t sent = 0;
  std::vector<std::uint64_t> asked;
  log_->ask_before_removing(
      [&](const ChainFile& file, SharedLog::Time, SharedLog::Time::duration) -> std::string {
        asked.push_back(file.last.sequence);
        return file.last.sequence <= sent ? "" : "an export has not sent it yet";
      });
  const auto later = system_clock::now() + hours(49);
  EXPECT_FALSE(log_->keep_up(later));
  EXPECT_EQ(log_->removed_files(), 0U);
  ASSERT_FALSE(asked.empty());
  // The first file was sent, the second was not: what is left is one chain.
  sent = asked.front();
  EXPECT_TRUE(log_->keep_up(later + hours(1)));
  EXPECT_FALSE(log_->keep_up(later + hours(1)));
  EXPECT_EQ(log_->removed_files(), 1U);
  EXPECT_TRUE(verify().intact) << verify().first_problem;
}

TEST_F(SharedLogTest, WithoutARetentionNothingIsRemoved) {
  config_.rotate_size = 4096;
  open();
  append(60);
  log_->keep_up(system_clock::now());
  log_->keep_up(system_clock::now() + hours(100'000));
  EXPECT_EQ(log_->removed_files(), 0U);
  EXPECT_EQ(chain_paths(path()).size(), log_->rotations() + 1);
}

TEST_F(SharedLogTest, AnswersAHeadThatIsOnTheDiskWithAllThatIsSpooled) {
  using Durability = AuditConfig::Durability;
  for (const Durability durability : {Durability::kernel, Durability::disk, Durability::async}) {
    SCOPED_TRACE(static_cast<int>(durability));
    log_.reset();
    config_.durability = durability;
    open();
    for (int i = 0; i < 5; ++i)
      ASSERT_TRUE(log_->append({now_record()}, SharedLog::Way::spool).has_value());
    std::promise<Result<AuditHead>> promise;
    log_->sync_head(SharedLog::HeadFor::signing,
                    [&promise](const Result<AuditHead>& head) { promise.set_value(head); });
    const Result<AuditHead> head = promise.get_future().get();
    ASSERT_TRUE(head.has_value()) << head.error().detail;
    EXPECT_EQ(*head, log_->head());
    const std::string records = read(path());
    EXPECT_EQ(count(records, "\n"), head->sequence) << "the file itself has them, not the spool";
    EXPECT_EQ(find_hash(path(), head->sequence).value(), head->hash);
  }
}

// The kernel forgets what it could not write, and the next sync says that all is well. It answers
// for what was written behind that.
TEST_F(SharedLogTest, AnswersNoHeadAfterAFailedSyncUntilTheRecordGrows) {
  open();
  append(1);
  const auto ask = [this] {
    std::promise<Result<AuditHead>> promise;
    log_->sync_head(SharedLog::HeadFor::signing,
                    [&promise](const Result<AuditHead>& head) { promise.set_value(head); });
    return promise.get_future().get();
  };
  ASSERT_TRUE(ask().has_value());
  append(1);
  // What only names the file cannot be synced.
  const int name = ::open(path().c_str(), O_PATH | O_CLOEXEC);
  ASSERT_GE(name, 0);
  const int kept = ::dup(descriptor_);
  ASSERT_EQ(::dup2(name, descriptor_), descriptor_);
  EXPECT_FALSE(ask().has_value());
  ASSERT_EQ(::dup2(kept, descriptor_), descriptor_);
  const Result<AuditHead> after = ask();
  ASSERT_FALSE(after.has_value());
  EXPECT_TRUE(after.error().detail.ends_with("a sync failed, and no record came since"))
      << after.error().detail;
  append(1);
  const Result<AuditHead> grown = ask();
  ASSERT_TRUE(grown.has_value()) << grown.error().detail;
  EXPECT_EQ(*grown, log_->head());
  for (const int one : {name, kept})
    ::close(one);
}

TEST_F(SharedLogTest, SaysWhatIsLeftOnTheDisk) {
  open();
  log_->keep_up(system_clock::now());
  EXPECT_GT(log_->free_bytes(), 0U);
  config_.rotate_size = 4096;
  log_->configure(config_);
  log_->keep_up(system_clock::now());
  EXPECT_FALSE(log_->is_space_low());
  config_.rotate_size = log_->free_bytes();
  log_->configure(config_);
  log_->keep_up(system_clock::now());
  EXPECT_TRUE(log_->is_space_low());
}

TEST_F(SharedLogTest, AFileThatCannotBeClosedGoesOn) {
  config_.rotate_size = 4096;
  open();
  write(path("audit.jsonl.next"), "dear diary");
  append(30);
  log_->keep_up(system_clock::now());
  EXPECT_TRUE(log_->is_rotation_failing());
  EXPECT_FALSE(log_->is_failing());
  append(30);
  std::filesystem::remove(path("audit.jsonl.next"));
  log_->keep_up(system_clock::now() + std::chrono::minutes(1));
  EXPECT_FALSE(log_->is_rotation_failing());
  EXPECT_EQ(log_->rotations(), 1U);
  EXPECT_TRUE(verify().intact);
}

TEST_F(SharedLogTest, RefusesWhileItsFileIsElsewhereAndSaysWhy) {
  open();
  append(1);
  std::filesystem::rename(path(), path("moved"));
  log_->keep_up(system_clock::now());
  EXPECT_TRUE(log_->is_failing());
  EXPECT_EQ(log_->failure(), "it was moved, removed or replaced while it was written");
  EXPECT_FALSE(log_->append({now_record()}).has_value());
  log_->count_lost();
  std::filesystem::rename(path("moved"), path());
  log_->keep_up(system_clock::now());
  EXPECT_FALSE(log_->is_failing());
  EXPECT_EQ(count(text(), R"("kind":"gap")"), 1U);
  EXPECT_EQ(count(text(), R"("count":1,)"), 1U);
}

TEST_F(SharedLogTest, NoticesWithoutACallThatSomebodyElseWrites) {
  open();
  append(1);
  const auto size = std::filesystem::file_size(path());
  std::ofstream(path(), std::ios::app) << "{}\n";
  log_->keep_up(system_clock::now());
  EXPECT_TRUE(log_->is_failing());
  EXPECT_EQ(log_->failure(), "somebody else has written to it, after byte " + std::to_string(size));
  std::filesystem::resize_file(path(), size);
  log_->keep_up(system_clock::now());
  EXPECT_FALSE(log_->is_failing());
  EXPECT_TRUE(verify().intact);
}

TEST_F(SharedLogTest, TellsATornTailInItsPlace) {
  open();
  append(2);
  const std::size_t whole = text().size();
  const std::string torn = text().substr(0, 60);
  log_.reset();
  std::ofstream(path(), std::ios::app) << torn;
  open();
  EXPECT_EQ(text().size(), whole + torn.size()) << "nothing is cut before its record is there";
  append(1);
  EXPECT_EQ(count(text(), R"("detail":"60 bytes of a torn record were cut off")"), 1U);
  const AuditVerdict verdict = verify();
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.records, 4U);
}

TEST_F(SharedLogTest, ClosesAFileThatEndsTornOnceThatIsTold) {
  open();
  append(60);
  const std::string torn = text().substr(0, 60);
  log_.reset();
  std::ofstream(path(), std::ios::app) << torn;
  // Only now too large, or the thread that looks would have closed it behind the records.
  config_.rotate_size = 4096;
  open();
  log_->keep_up(system_clock::now());
  EXPECT_EQ(log_->rotations(), 1U);
  EXPECT_EQ(count(text(), R"("kind":"repair")"), 1U);
  EXPECT_TRUE(verify().intact);
}

/// Lets a descriptor lead to a pipe for a while, which can neither be synced nor written again.
class Unsyncable {
 public:
  explicit Unsyncable(int descriptor) : descriptor_(descriptor), original_(::dup(descriptor)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    ::dup2(ends[1], descriptor);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Unsyncable(const Unsyncable&) = delete;
  Unsyncable& operator=(const Unsyncable&) = delete;
  ~Unsyncable() {
    ::dup2(original_, descriptor_);
    ::close(original_);
  }

 private:
  int descriptor_;
  int original_;
};

TEST_F(SharedLogTest, AfterAFailedSyncNothingCountsUntilItWasWrittenAgain) {
  config_.durability = AuditConfig::Durability::disk;
  open();
  Loop loop(0);
  const auto sync = [&] {
    std::optional<bool> synced;
    log_->sync(loop, [&](bool done) {
      synced = done;
      loop.stop();
    });
    loop.run();
    loop.io().restart();
    return *synced;
  };
  append(2);
  EXPECT_TRUE(sync());
  append(1);
  {
    const Unsyncable pipe(descriptor_);
    EXPECT_FALSE(sync());
    EXPECT_TRUE(log_->is_failing());
  }
  // The descriptor works again, but what it was given before is not known to be there.
  EXPECT_FALSE(log_->append({now_record()}).has_value());
  log_->count_lost();
  log_->keep_up(system_clock::now());
  EXPECT_FALSE(log_->is_failing());
  EXPECT_EQ(count(text(), R"("kind":"gap")"), 1U);
  append(1);
  EXPECT_TRUE(sync());
  const AuditVerdict verdict = verify();
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.records, 5U);
}

}  // namespace
}  // namespace bartizan
