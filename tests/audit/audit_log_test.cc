#include "audit/audit_log.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "audit/verify.h"
#include "tests/audit/chain_fixture.h"
#include "tests/audit/file_size_limit.h"

namespace bartizan {
namespace {

using AuditLogTest = ChainTest;

Result<AuditHead> append_one(AuditLog& log, const EncodedRecord& record) {
  return log.append({&record, 1});
}

/// So that megabytes are few records.
EncodedRecord long_record() {
  const std::string target(8000, 't');
  return encode_record({.kind = RecordKind::decision, .target = target});
}

TEST_F(AuditLogTest, BeginsAtZeroAndContinuesAfterReopening) {
  {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << opened.error().detail;
    EXPECT_EQ(opened->log.head(), AuditHead{});
    EXPECT_EQ(opened->log.torn_bytes(), 0U);
    const auto head = append_one(opened->log, record(1));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->sequence, 1U);
    EXPECT_TRUE(opened->log.begin_sync().run());
  }
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->log.head().sequence, 1U);
  const std::array records = {record(2), record(3)};
  ASSERT_TRUE(opened->log.append(records));
  const AuditVerdict verdict = verify_audit({path()}, opened->log.head());
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.records, 3U);
}

TEST_F(AuditLogTest, AppendingNothingChangesNothing) {
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->log.append({}));
  EXPECT_EQ(read(path()), "");
}

TEST_F(AuditLogTest, CreatesTheFileForOwnerAndGroupOnly) {
  const mode_t before = ::umask(0);
  auto opened = AuditLog::open(path());
  ::umask(before);
  ASSERT_TRUE(opened);
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_NE(::fcntl(opened->log.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(opened->log.descriptor(), F_GETFL) & O_APPEND, 0);
}

TEST_F(AuditLogTest, RefusesWhatIsNoPlaceForARecord) {
  const auto lines = chain(2);
  write(path("notes"), "dear diary");
  write(path("lines"), "dear diary\n");
  write(path("flipped"), lines[0] + std::string(lines[1]).replace(40, 1, "?"));
  write(path("endless"), std::string(kRecordLineStart) + std::string(kRecordLineMax + 1, 'x'));
  write(path("target"), "");
  std::filesystem::create_symlink(path("target"), path("link"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);

  struct Case {
    const char* name;
    std::string file;
    std::string reason;
  };
  const Case cases[] = {
      {"missing folder", path("none/audit.jsonl"), "folder does not exist"},
      {"symbolic link", path("link"), "symbolic link"},
      {"named pipe", path("pipe"), "not a regular file"},
      {"a folder", path("."), "cannot be opened"},
      {"somebody's text without newline", path("notes"), "not a record, after byte 0"},
      {"somebody's lines", path("lines"), "its last record, after byte 0, does not verify"},
      {"a changed last record", path("flipped"),
       "its last record, after byte " + std::to_string(lines[0].size()) + ", does not verify"},
      {"a line longer than any record", path("endless"), "longer than a record"},
  };
  for (const Case& each : cases) {
    const auto opened = AuditLog::open(each.file);
    ASSERT_FALSE(opened) << each.name;
    EXPECT_EQ(opened.error().code, ErrorCode::not_recordable) << each.name;
    EXPECT_EQ(opened.error().fault, Fault::gateway) << each.name;
    EXPECT_NE(opened.error().detail.find(each.reason), std::string::npos)
        << each.name << ": " << opened.error().detail;
  }
  EXPECT_EQ(read(path("notes")), "dear diary");
}

TEST_F(AuditLogTest, ASecondWriterIsRefusedUntilTheFirstIsGone) {
  {
    auto first = AuditLog::open(path());
    ASSERT_TRUE(first);
    const auto second = AuditLog::open(path());
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().detail.find("another process"), std::string::npos);
  }
  EXPECT_TRUE(AuditLog::open(path()));
}

TEST_F(AuditLogTest, KeepsATornTailUntilTheNextRecordTakesItsPlace) {
  const auto lines = chain(3);
  const std::string intact = lines[0] + lines[1];
  for (std::size_t size = 1; size < lines[2].size(); ++size) {
    write(path(), intact + lines[2].substr(0, size));
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << size << ": " << opened.error().detail;
    EXPECT_EQ(opened->log.torn_bytes(), size);
    EXPECT_EQ(opened->log.head(), head_of(lines[1]));
    // Killed here, the next one still finds what was torn.
    EXPECT_EQ(read(path()), intact + lines[2].substr(0, size));
    ASSERT_TRUE(append_one(opened->log, record(3)));
    EXPECT_EQ(opened->log.torn_bytes(), 0U);
    EXPECT_EQ(read(path()), joined(lines));
  }
}

TEST_F(AuditLogTest, WhatIsTornIsThereUntilItsRecordIsWhateverFails) {
  const auto lines = chain(2);
  const std::string zeros(5000, '\0');
  write(path(), lines[0] + zeros);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  // Room for nothing more than stands there, and for a part of the record.
  for (const std::size_t room : {std::size_t{0}, std::size_t{50}}) {
    {
      const FileSizeLimit limit(lines[0].size() + room);
      ASSERT_FALSE(append_one(opened->log, record(2)));
    }
    EXPECT_EQ(opened->log.torn_bytes(), zeros.size()) << "told whole, however often it is tried";
    const std::string left = read(path());
    EXPECT_GT(left.size(), lines[0].size());
    EXPECT_EQ(left.find('\n', lines[0].size()), std::string::npos);
  }
  ASSERT_TRUE(append_one(opened->log, record(2)));
  EXPECT_EQ(read(path()), joined(lines));
}

TEST_F(AuditLogTest, TakesZerosAndATornFirstRecordForTorn) {
  const auto lines = chain(1);
  write(path("zeros"), lines[0] + std::string(5000, '\0'));
  write(path("first"), lines[0].substr(0, 30));
  auto zeros = AuditLog::open(path("zeros"));
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->log.torn_bytes(), 5000U);
  EXPECT_EQ(zeros->log.head().sequence, 1U);
  auto first = AuditLog::open(path("first"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->log.torn_bytes(), 30U);
  EXPECT_EQ(first->log.head(), AuditHead{});
}

TEST_F(AuditLogTest, AShortOrFailedWriteIsTornAndTheNextOneTakesItsPlace) {
  const auto lines = chain(3);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  const AuditHead head = opened->log.head();
  // Room for nothing, for a part of the first record, and for the first but not the second.
  const std::size_t rooms[] = {
      0, 1, 100, lines[1].size(), lines[1].size() + 1, lines[1].size() + lines[2].size() - 1};
  for (const std::size_t room : rooms) {
    const std::array records = {record(2), record(3)};
    Result<AuditHead> appended = AuditHead{};
    {
      const FileSizeLimit limit(lines[0].size() + room);
      appended = opened->log.append(records);
    }
    ASSERT_FALSE(appended) << room;
    EXPECT_EQ(appended.error().code, ErrorCode::not_recordable);
    EXPECT_EQ(appended.error().fault, Fault::gateway);
    EXPECT_EQ(opened->log.head(), head) << room;
    // What fits stands there, and no more; what an attempt before left of it stays.
    EXPECT_TRUE(joined(lines).starts_with(read(path()))) << room;
    EXPECT_EQ(read(path()).size() - lines[0].size(), opened->log.torn_bytes()) << room;
    EXPECT_EQ(opened->log.torn_bytes(), room) << room;
  }
  const std::array records = {record(2), record(3)};
  ASSERT_TRUE(opened->log.append(records));
  EXPECT_EQ(read(path()), joined(lines));
}

/// Puts another file in the place of a descriptor, and the first one back.
class Substitute {
 public:
  Substitute(int descriptor, const std::string& file, int flags)
      : descriptor_(descriptor), original_(::dup(descriptor)) {
    const int other = ::open(file.c_str(), flags);
    ::dup2(other, descriptor);
    ::close(other);
  }
  Substitute(const Substitute&) = delete;
  Substitute& operator=(const Substitute&) = delete;
  ~Substitute() {
    ::dup2(original_, descriptor_);
    ::close(original_);
  }

 private:
  int descriptor_;
  int original_;
};

TEST_F(AuditLogTest, WhileTheFileCannotBeWrittenEveryAppendFailsAndThenItRecovers) {
  const auto lines = chain(2);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  write(path("same"), lines[0]);
  {
    const Substitute read_only(opened->log.descriptor(), path("same"), O_RDONLY);
    for (int i = 0; i < 3; ++i) {
      const auto appended = append_one(opened->log, record(2));
      ASSERT_FALSE(appended);
      EXPECT_NE(appended.error().detail.find("cannot be written"), std::string::npos)
          << appended.error().detail;
    }
  }
  ASSERT_TRUE(append_one(opened->log, record(2)));
  EXPECT_EQ(read(path()), joined(lines));
}

TEST_F(AuditLogTest, NeitherWritesBehindNorCutsWhatSomebodyElseWrote) {
  const auto lines = chain(2);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  std::ofstream(path(), std::ios::app) << "dear diary\n";
  const auto appended = append_one(opened->log, record(2));
  ASSERT_FALSE(appended);
  const std::string where = "somebody else has written to it, after byte ";
  EXPECT_NE(appended.error().detail.find(where + std::to_string(lines[0].size())),
            std::string::npos)
      << appended.error().detail;
  // Looking is enough; nobody need append.
  EXPECT_FALSE(opened->log.check_place());
  EXPECT_EQ(read(path()), lines[0] + "dear diary\n");
  std::filesystem::resize_file(path(), lines[0].size());
  ASSERT_TRUE(append_one(opened->log, record(2)));
  EXPECT_EQ(read(path()), joined(lines));
}

TEST_F(AuditLogTest, NoticesSomebodyElseWithTheNextLook) {
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  std::ofstream(path(), std::ios::app) << "dear diary\n";
  const EncodedRecord second = record(2);
  // Who has looked a moment ago does not look again: the record is there, behind the other's line.
  ASSERT_TRUE(opened->log.append({&second, 1}, AuditLog::Look::later));
  const EncodedRecord third = record(3);
  EXPECT_FALSE(opened->log.append({&third, 1}, AuditLog::Look::at_file));
  EXPECT_FALSE(verify_audit({path()}, opened->log.head()).intact);
}

TEST_F(AuditLogTest, RefusesWhileItsFileIsElsewhere) {
  const auto lines = chain(2);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  EXPECT_TRUE(opened->log.check_place());
  std::filesystem::rename(path(), path("moved"));
  ASSERT_FALSE(opened->log.check_place());
  EXPECT_FALSE(append_one(opened->log, record(2)));
  write(path(), "");
  EXPECT_FALSE(append_one(opened->log, record(2)));
  std::filesystem::rename(path("moved"), path());
  ASSERT_TRUE(append_one(opened->log, record(2)));
  EXPECT_EQ(read(path()), joined(lines));

  std::filesystem::remove(path());
  // Seen at once, without being asked to look.
  const auto removed = append_one(opened->log, record(3));
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().detail.find("it was removed"), std::string::npos);
}

TEST_F(AuditLogTest, WritesAgainWhatASyncThatFailedMayHaveLost) {
  const auto lines = chain(3);
  auto opened = AuditLog::open(path());
  AuditLog& log = opened->log;
  ASSERT_TRUE(append_one(log, record(1)));
  log.keep(AuditLog::Keep::until_durable);
  ASSERT_TRUE(append_one(log, record(2)));
  const AuditLog::SyncJob failed = log.begin_sync();
  ASSERT_TRUE(append_one(log, record(3)));
  log.end_sync(failed, fail(ErrorCode::not_recordable, Fault::gateway, "the disk is gone"));
  // What the kernel drops reads as zeros afterwards.
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(lines[0].size()));
    file << std::string(lines[1].size() + lines[2].size(), '\0');
  }
  const AuditLog::SyncJob again = log.begin_sync();
  ASSERT_TRUE(again.run());
  log.end_sync(again, {});
  EXPECT_EQ(read(path()), joined(lines));
  EXPECT_TRUE(log.begin_sync().empty());
}

TEST_F(AuditLogTest, NeverGrowsAFileThatSomebodyElseCut) {
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(append_one(opened->log, record(1)));
  std::filesystem::resize_file(path(), 10);
  Result<AuditHead> appended = AuditHead{};
  {
    const FileSizeLimit limit(10);
    appended = append_one(opened->log, record(2));
  }
  ASSERT_FALSE(appended);
  EXPECT_NE(appended.error().detail.find("shorter than what was written"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path()), 10U);
}

TEST_F(AuditLogTest, FollowsTheFormulaOfTheManual) {
  const auto lines = chain(2);
  Digester digester;
  const AuditHead first = head_of(lines[0]);
  std::string bound(reinterpret_cast<const char*>(first.hash.data()), 32);
  bound += std::string("\0\0\0\0\0\0\0\2", 8);
  bound += std::string(reinterpret_cast<const char*>(record(2).digest.data()), 32);
  EXPECT_EQ(head_of(lines[1]).hash, digester.sha256(bound));
}

/// Of a file, how much the kernel has in memory.
std::size_t resident_bytes(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::size_t size = std::filesystem::file_size(path);
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  EXPECT_EQ(::mincore(mapped, size, pages.data()), 0);
  ::munmap(mapped, size);
  return page * static_cast<std::size_t>(std::ranges::count_if(
                    pages, [](unsigned char state) { return (state & 1U) != 0; }));
}

bool is_in_memory_only(const std::string& path) {
  struct statfs status{};
  return ::statfs(path.c_str(), &status) == 0 && status.f_type == TMPFS_MAGIC;
}

TEST_F(AuditLogTest, WhatWasWrittenLeavesMemory) {
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  AuditLog& log = opened->log;
  if (is_in_memory_only(path())) GTEST_SKIP() << "the temporary folder is memory itself";
  const std::vector<EncodedRecord> batch(64, long_record());
  const auto append_until_due = [&] {
    while (!log.is_write_back_due())
      ASSERT_TRUE(log.append(batch));
  };
  EXPECT_FALSE(log.is_write_back_due());
  append_until_due();
  const std::uint64_t first = log.size();
  EXPECT_GT(resident_bytes(path()), first / 2);
  log.begin_write_back().run();
  EXPECT_FALSE(log.is_write_back_due());
  // The disk takes the first part in its own time; here it is waited for.
  ASSERT_EQ(::fdatasync(log.descriptor()), 0);
  append_until_due();
  log.begin_write_back().run();
  // What stands at the seam is of both parts, and a file system may keep megabytes as one.
  constexpr std::uint64_t seam_bytes_max = std::uint64_t{4} << 20;
  EXPECT_LE(resident_bytes(path()), log.size() - first + seam_bytes_max);
  const AuditVerdict verdict = verify_audit({path()}, log.head());
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
}

TEST_F(AuditLogTest, WhatStoodInAFileBeforeIsNotWrittenBack) {
  {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened);
    const std::vector<EncodedRecord> batch(64, long_record());
    while (!opened->log.is_write_back_due())
      ASSERT_TRUE(opened->log.append(batch));
  }
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->log.is_write_back_due());
}

}  // namespace
}  // namespace bartizan
