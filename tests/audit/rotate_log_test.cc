// The chain goes on from file to file, whatever interrupts it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>

#include "audit/chain_files.h"
#include "audit/file_name.h"
#include "audit/verify.h"
#include "schemas/base/sha256.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using std::chrono::hours;
const AuditLog::Time kNoon(std::chrono::seconds(1'795'262'400));

class RotateTest : public ChainTest {
 protected:
  /// Everything in the record's folder, by name.
  using Folder = std::map<std::string, std::string>;

  void append(AuditLog& log, std::uint64_t count = 1) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const EncodedRecord one = record(++number_);
      const auto appended = log.append({&one, 1});
      ASSERT_TRUE(appended) << appended.error().detail;
    }
  }
  /// A record of `files` closed files and an open one, with three records each.
  void make_files(std::size_t files) {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened);
    for (std::size_t i = 0; i <= files; ++i) {
      append(opened->log, 3);
      if (i == files) break;
      const auto closed = opened->log.rotate(kNoon + hours(i));
      ASSERT_TRUE(closed) << closed.error().detail;
      closed_.push_back(*closed);
    }
    head_ = opened->log.head();
  }
  Folder snapshot() const {
    Folder folder;
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(path())))
      folder[entry.path().filename()] = read(entry.path());
    return folder;
  }
  void restore(const Folder& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_of(path())))
      std::filesystem::remove_all(entry.path());
    for (const auto& [name, bytes] : folder)
      write(path(name), bytes);
  }
  AuditVerdict verify(const std::optional<AuditHead>& head = {}) const {
    return verify_audit(chain_paths(path()), head);
  }
  /// Opens what is there, appends, and finds one chain that holds every record up to `head`.
  void expect_goes_on(const AuditHead& head, const std::string& where) {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << where << ": " << opened.error().detail;
    append(opened->log);
    const AuditVerdict verdict = verify(head);
    EXPECT_TRUE(verdict.intact) << where << ": " << verdict.first_problem;
    EXPECT_EQ(verdict.head, opened->log.head()) << where;
    EXPECT_FALSE(std::filesystem::exists(next_path(path()))) << where;
    const auto rotated = opened->log.rotate(kNoon + hours(50));
    ASSERT_TRUE(rotated) << where << ": " << rotated.error().detail;
    EXPECT_TRUE(verify(head).intact) << where;
  }

  std::vector<std::string> closed_;
  AuditHead head_;
  std::uint64_t number_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

TEST_F(RotateTest, EachFileNamesTheOther) {
  make_files(2);
  ASSERT_EQ(closed_.size(), 2U);
  EXPECT_EQ(name_of(closed_[0]), "audit-20261121T120000Z-000000000001.jsonl");
  EXPECT_EQ(name_of(closed_[1]), "audit-20261121T130000Z-000000000005.jsonl");
  const auto first = lines_of(read(closed_[0]));
  const auto second = lines_of(read(closed_[1]));
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(second.size(), 5U);
  const std::string name(name_of(closed_[0]));
  const std::string before = head_of(first[2]).text();
  EXPECT_TRUE(
      first[3].starts_with(R"({"v":1,"kind":"file_end","time":"2026-11-21T12:00:00.000000Z",)"
                           R"("file":")" +
                           name + R"(","head":")" + before + R"(","seq":4,)"))
      << first[3];
  const std::string last = head_of(first[3]).text();
  const std::string chain = hex_of(head_of(first[0]).hash);
  EXPECT_TRUE(second[0].starts_with(
      R"({"v":1,"kind":"file_begin","time":"2026-11-21T12:00:00.000000Z",)"
      R"("file":")" +
      name + R"(","head":")" + last + R"(","chain":")" + chain + R"(","seq":5,)"))
      << second[0];
  const AuditVerdict verdict = verify(head_);
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.records, 13U);
  EXPECT_EQ(chain_paths(path()), (std::vector{closed_[0], closed_[1], path()}));
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(RotateTest, KnowsHowOldAndHowLargeTheFileIs) {
  auto opened = AuditLog::open(path());
  EXPECT_FALSE(opened->log.began());
  append(opened->log);
  EXPECT_EQ(opened->log.began(), kNoon);
  EXPECT_EQ(opened->log.size(), read(path()).size());
  EXPECT_FALSE(opened->log.is_just_begun());
  ASSERT_TRUE(opened->log.rotate(kNoon + hours(3)));
  EXPECT_EQ(opened->log.began(), kNoon + hours(3));
  EXPECT_TRUE(opened->log.is_just_begun());
  append(opened->log);
  EXPECT_FALSE(opened->log.is_just_begun());
}

TEST_F(RotateTest, KilledAtAnyPointItHasOneChain) {
  make_files(1);
  const std::string closed(name_of(closed_[0]));
  const auto old_lines = lines_of(read(closed_[0]));
  const std::string old_file = joined({old_lines[0], old_lines[1], old_lines[2]});
  const AuditHead before = head_of(old_lines[2]);
  const AuditHead ended = head_of(old_lines[3]);
  const std::string begin_line = lines_of(read(path()))[0];

  // 1: the next file, from nothing to its whole first record; 2: the record that closes the old.
  for (std::size_t size = 0; size <= begin_line.size(); size += 7) {
    restore({{"audit.jsonl", old_file}, {"audit.jsonl.next", begin_line.substr(0, size)}});
    expect_goes_on(before, "prepared " + std::to_string(size));
  }
  for (std::size_t size = 0; size <= old_lines[3].size(); size += 7) {
    restore({{"audit.jsonl", old_file + old_lines[3].substr(0, size)},
             {"audit.jsonl.next", begin_line}});
    expect_goes_on(before, "closing " + std::to_string(size));
  }
  restore({{"audit.jsonl", old_file + old_lines[3]}, {"audit.jsonl.next", begin_line}});
  expect_goes_on(ended, "closed");
  // 3: nothing is in its place.
  restore({{closed, old_file + old_lines[3]}, {"audit.jsonl.next", begin_line}});
  expect_goes_on(head_of(begin_line), "renamed");
  EXPECT_EQ(chain_paths(path()).size(), 3U);
  // 4: the next file is.
  restore({{closed, old_file + old_lines[3]}, {"audit.jsonl", begin_line}});
  expect_goes_on(head_of(begin_line), "placed");
}

TEST_F(RotateTest, ALossOfPowerThatKeptOnlyNamesLosesNoRecord) {
  make_files(1);
  const std::string closed(name_of(closed_[0]));
  const auto lines = lines_of(read(closed_[0]));
  const std::string old_file = joined({lines[0], lines[1], lines[2]});
  const AuditHead before = head_of(lines[2]);
  const std::string begin_line = lines_of(read(path()))[0];
  for (const std::string& next :
       {std::string(), std::string(300, '\0'), begin_line.substr(0, 40), begin_line}) {
    const bool fits_nowhere = next == begin_line;
    restore({{closed, old_file}, {"audit.jsonl.next", next}});
    expect_goes_on(before, "beside it " + std::to_string(next.size()));
    if (fits_nowhere) continue;
    restore({{closed, old_file + lines[3]}, {"audit.jsonl", next}});
    expect_goes_on(head_of(lines[3]), "in its place " + std::to_string(next.size()));
  }
}

TEST_F(RotateTest, AFileThatIsGoneIsNoNewChain) {
  make_files(2);
  const Folder whole = snapshot();
  std::filesystem::remove(path());
  const auto opened = AuditLog::open(path());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().detail.find("it is gone, though audit-20261121T130000Z"),
            std::string::npos)
      << opened.error().detail;
  restore(whole);
  EXPECT_TRUE(AuditLog::open(path()));
}

/// Killed between the two renames, with the file that was just closed taken to an archive.
TEST_F(RotateTest, ANextFileContinuesAChainWhoseFilesAreElsewhere) {
  make_files(1);
  std::filesystem::rename(path(), next_path(path()));
  std::filesystem::remove(closed_[0]);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_NE(opened->repaired.find("interrupted rotation"), std::string::npos);
  EXPECT_EQ(opened->log.head(), head_);
  append(opened->log);
  EXPECT_FALSE(std::filesystem::exists(next_path(path())));
}

/// One that an earlier attempt could not take away again.
TEST_F(RotateTest, APreparedFileOfOursIsInNobodysWay) {
  make_files(1);
  const std::string begun = lines_of(read(path()))[0];
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened);
  write(next_path(path()), begun);
  const auto rotated = opened->log.rotate(kNoon + hours(9));
  ASSERT_TRUE(rotated) << rotated.error().detail;
  append(opened->log);
  EXPECT_TRUE(verify(opened->log.head()).intact);
}

TEST_F(RotateTest, APreparedFileThatIsNotOursIsNotRemoved) {
  make_files(0);
  write(next_path(path()), "dear diary");
  EXPECT_FALSE(AuditLog::open(path()));
  write(next_path(path()), chain(1)[0]);
  EXPECT_FALSE(AuditLog::open(path()));
  EXPECT_EQ(read(next_path(path())), chain(1)[0]);
}

TEST_F(RotateTest, WhatFailsLeavesTheOldFileGoingOn) {
  auto opened = AuditLog::open(path());
  append(opened->log, 2);
  const AuditHead head = opened->log.head();

  write(next_path(path()), "dear diary");
  EXPECT_FALSE(opened->log.rotate(kNoon));
  std::filesystem::remove(next_path(path()));
  EXPECT_EQ(opened->log.head(), head);

  const std::string taken = rotated_name(path(), kNoon, 1);
  write(path(taken), "dear diary");
  EXPECT_FALSE(opened->log.rotate(kNoon));
  EXPECT_EQ(read(path(taken)), "dear diary");
  EXPECT_FALSE(std::filesystem::exists(next_path(path())));
  EXPECT_EQ(opened->log.head(), head);
  std::filesystem::remove(path(taken));

  append(opened->log);
  ASSERT_TRUE(opened->log.rotate(kNoon));
  append(opened->log);
  EXPECT_TRUE(verify(opened->log.head()).intact);
}

TEST_F(RotateTest, TheChainIsFollowedThroughFilesThatBelongToItOnly) {
  make_files(3);
  const Folder whole = snapshot();
  EXPECT_EQ(find_chain(path())->size(), 4U);

  // Another file under the right name: of another chain, changed at its end, or a link.
  Folder other = whole;
  other[std::string(name_of(closed_[1]))] = joined(chain(3));
  restore(other);
  EXPECT_EQ(find_chain(path())->size(), 2U);
  restore(whole);
  std::filesystem::rename(closed_[1], path("elsewhere"));
  std::filesystem::create_symlink(path("elsewhere"), closed_[1]);
  EXPECT_EQ(find_chain(path())->size(), 2U);
  EXPECT_FALSE(verify().intact);
  // A file that merely looks like one is never reached.
  restore(whole);
  write(path("audit-20261121T150000Z-000000000099.jsonl"), joined(chain(2)));
  EXPECT_EQ(find_chain(path())->size(), 4U);
}

TEST_F(RotateTest, NotesWhatRetentionRemovedAndNotesNothingElse) {
  make_files(3);
  const Folder whole = snapshot();
  const auto files = find_chain(path());
  ASSERT_TRUE(files);
  {
    auto opened = AuditLog::open(path());
    const std::string head = (*files)[0].last.text();
    const EncodedRecord removal = encode_record({.kind = RecordKind::file_removed,
                                                 .time = kNoon,
                                                 .count = 4,
                                                 .file = name_of(closed_[0]),
                                                 .head = head});
    ASSERT_TRUE(opened->log.append({&removal, 1}));
    ASSERT_TRUE(remove_file((*files)[0]));
    append(opened->log);
    head_ = opened->log.head();
  }
  EXPECT_FALSE(std::filesystem::exists(closed_[0]));
  const AuditVerdict verdict = verify(head_);
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(verdict.notes[0], "records 1 to 4: removed by retention, as record 19 says");
  // Nothing proves it without a head, by a head from before the removal, or by that of the removed
  // file itself.
  const std::string unproven = closed_[1] +
                               ":1: records 1 to 4: removed by retention, as record 19 says, which "
                               "nothing proves: give by --head a head of record 19 or later that "
                               "was kept elsewhere";
  EXPECT_EQ(verify().first_problem, unproven);
  EXPECT_EQ(verify((*files)[1].last).first_problem, unproven);
  EXPECT_EQ(verify((*files)[0].last).first_problem, unproven);
  EXPECT_EQ(verify(AuditHead{.sequence = 2, .hash = {}}).first_problem, unproven);
  AuditHead wrong = head_;
  wrong.hash[0] ^= 1;
  EXPECT_FALSE(verify(wrong).intact);

  // One more is gone, of which no record tells.
  const auto hint = [](const std::string& before) {
    return ": the file before it is " + std::filesystem::path(before).filename().string() +
           "; name it too, oldest first, or give a kept head by --from";
  };
  std::filesystem::remove(closed_[1]);
  EXPECT_EQ(verify().first_problem,
            closed_[2] + ":1: records 1 to 9 missing before record 10" + hint(closed_[1]));
  restore(whole);
  std::filesystem::remove(closed_[0]);
  EXPECT_EQ(verify().first_problem,
            closed_[1] + ":1: records 1 to 4 missing before record 5" + hint(closed_[0]));
}

// Whoever writes to the folder removes two files, and appends the record that would excuse it.
TEST_F(RotateTest, AForgedRemovalExcusesNothingThatAHeadCovers) {
  make_files(3);
  const auto files = find_chain(path());
  ASSERT_TRUE(files);
  auto opened = AuditLog::open(path());
  const AuditHead kept = opened->log.head();
  ASSERT_TRUE(verify(kept).intact);
  const EncodedRecord removal = encode_record({.kind = RecordKind::file_removed,
                                               .time = kNoon,
                                               .count = 4,
                                               .file = name_of(closed_[1]),
                                               .head = (*files)[1].last.text()});
  ASSERT_TRUE(opened->log.append({&removal, 1}));
  std::filesystem::remove(closed_[0]);
  std::filesystem::remove(closed_[1]);
  for (const AuditHead& head : {kept, (*files)[0].last, (*files)[1].last, (*files)[2].last}) {
    const AuditVerdict verdict = verify(head);
    EXPECT_FALSE(verdict.intact);
    EXPECT_TRUE(verdict.notes.empty());
  }
  EXPECT_FALSE(verify().intact);
  // What a head says that was taken afterwards is another matter: somebody vouches for it.
  EXPECT_TRUE(verify(opened->log.head()).intact);
}

TEST_F(RotateTest, RemovesOnlyWhatItLookedAt) {
  make_files(1);
  const auto files = find_chain(path());
  std::filesystem::rename(closed_[0], path("kept"));
  write(closed_[0], "dear diary");
  EXPECT_FALSE(remove_file((*files)[0]));
  EXPECT_EQ(read(closed_[0]), "dear diary");
}

TEST_F(RotateTest, WhatIsNotDurableYetSpansFiles) {
  auto opened = AuditLog::open(path());
  AuditLog& log = opened->log;
  log.keep(AuditLog::Keep::until_durable);
  append(log, 2);
  const auto closed = log.rotate(kNoon);
  ASSERT_TRUE(closed);
  append(log, 1);
  const std::string old_text = read(*closed);
  const std::string new_text = read(path());
  const AuditLog::SyncJob failed = log.begin_sync();
  log.end_sync(failed, fail(ErrorCode::not_recordable, Fault::gateway, "the disk is gone"));
  for (const std::string& file : {*closed, path()}) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes << std::string(20, '\0');
  }
  const AuditLog::SyncJob again = log.begin_sync();
  ASSERT_TRUE(again.run());
  log.end_sync(again, {});
  EXPECT_EQ(read(*closed), old_text);
  EXPECT_EQ(read(path()), new_text);
  EXPECT_TRUE(log.begin_sync().empty());
}

}  // namespace
}  // namespace bartizan
