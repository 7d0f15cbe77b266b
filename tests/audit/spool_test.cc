#include "audit/spool.h"

#include <filesystem>
#include <vector>

#include "audit/verify.h"
#include "tests/audit/chain_fixture.h"
#include "tests/audit/file_size_limit.h"

namespace bartizan {
namespace {

class SpoolTest : public ChainTest {
 protected:
  std::string spool() const { return path() + ".spool"; }
  bool has_spool() const { return std::filesystem::exists(spool()); }

  AuditLog open() {
    auto opened = AuditLog::open(path());
    EXPECT_TRUE(opened) << opened.error().detail;
    return std::move(opened->log);
  }

  /// Spools records with the numbers from `first` to `last`, each by itself.
  static void spool_records(AuditLog& log, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) {
      const EncodedRecord one = record(number);
      ASSERT_TRUE(log.append_spooled({&one, 1})) << number;
    }
  }

  /// Does what a process leaves that is killed now, in a folder of its own.
  std::string killed(const std::string& name = "killed") const {
    std::filesystem::create_directories(path(name));
    for (const char* file : {"audit.jsonl", "audit.jsonl.spool"}) {
      if (std::filesystem::exists(path(file)))
        std::filesystem::copy_file(path(file), path(name) + "/" + file);
    }
    return path(name) + "/audit.jsonl";
  }

  static void expect_whole(const std::string& file, const AuditHead& head) {
    const AuditVerdict verdict = verify_audit({file}, head);
    EXPECT_TRUE(verdict.intact) << verdict.first_problem;
    EXPECT_EQ(verdict.records, head.sequence);
  }
};

TEST_F(SpoolTest, WhatIsSpooledIsInTheFileOnceItIsDrained) {
  const auto lines = chain(3);
  AuditLog log = open();
  spool_records(log, 1, 3);
  EXPECT_EQ(read(path()), "");
  EXPECT_EQ(log.head(), head_of(lines[2]));
  EXPECT_EQ(log.size(), joined(lines).size());
  ASSERT_TRUE(log.drain());
  EXPECT_EQ(read(path()), joined(lines));
  expect_whole(path(), log.head());
}

TEST_F(SpoolTest, AppendingBringsWhatIsSpooledFirst) {
  AuditLog log = open();
  spool_records(log, 1, 2);
  const EncodedRecord third = record(3);
  ASSERT_TRUE(log.append({&third, 1}));
  EXPECT_EQ(read(path()), joined(chain(3)));
}

TEST_F(SpoolTest, IsForOwnerAndGroupOnlyAndGoneBehindAnOrderlyEnd) {
  {
    AuditLog log = open();
    spool_records(log, 1, 2);
    const auto allowed = std::filesystem::status(spool()).permissions();
    EXPECT_EQ(allowed & std::filesystem::perms::others_all, std::filesystem::perms::none);
  }
  EXPECT_FALSE(has_spool());
  EXPECT_EQ(read(path()), joined(chain(2)));
}

TEST_F(SpoolTest, IsGivenUpOnceNobodyNeedsIt) {
  AuditLog log = open();
  spool_records(log, 1, 1);
  log.release_idle_spool();
  EXPECT_TRUE(has_spool()) << "it was used a moment ago";
  log.release_idle_spool();
  EXPECT_TRUE(has_spool()) << "it holds a record";
  ASSERT_TRUE(log.drain());
  log.release_idle_spool();
  EXPECT_FALSE(has_spool());
  spool_records(log, 2, 2);
  EXPECT_TRUE(has_spool());
}

TEST_F(SpoolTest, KilledAtAnyTimeNothingIsLost) {
  AuditLog log = open();
  // Far enough to go round several times.
  constexpr std::uint64_t kRecords = 4000;
  ASSERT_GT(kRecords * chain(1)[0].size(), 4 * AuditLog::kHeldMax);
  for (std::uint64_t number = 1; number <= kRecords; ++number) {
    spool_records(log, number, number);
    if (number % 97 != 0) continue;
    const std::string left = killed(std::to_string(number));
    const AuditVerdict before = verify_audit({left}, log.head());
    EXPECT_TRUE(before.intact) << number << ": " << before.first_problem;
    EXPECT_EQ(before.records, number) << "a reader finds what the next start will bring";
    auto opened = AuditLog::open(left);
    ASSERT_TRUE(opened) << number << ": " << opened.error().detail;
    EXPECT_EQ(opened->log.head(), log.head());
    EXPECT_EQ(opened->unplaced, "");
    ASSERT_TRUE(opened->log.drain());
    opened->log.release_idle_spool();
    EXPECT_FALSE(std::filesystem::exists(left + ".spool"));
    expect_whole(left, log.head());
    std::filesystem::remove_all(path(std::to_string(number)));
  }
}

TEST_F(SpoolTest, AReaderSaysWhereSpooledRecordsAre) {
  AuditLog log = open();
  spool_records(log, 1, 5);
  const AuditVerdict verdict = verify_audit({path()}, {});
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(verdict.notes[0],
            "records 1 to 5: in " + spool() + ", from where the next start brings them here");
  auto forged = log.head();
  forged.sequence = 4;
  const AuditVerdict other = verify_audit({path()}, forged);
  EXPECT_FALSE(other.intact);
  EXPECT_NE(other.first_problem.find("another hash than the head"), std::string::npos);
}

TEST_F(SpoolTest, CompletesWhatWasWrittenInPart) {
  const auto lines = chain(4);
  const std::string all = joined(lines);
  AuditLog log = open();
  spool_records(log, 1, 4);
  const std::string left = killed();
  const std::string spooled = read(left + ".spool");
  for (std::size_t written = 0; written <= all.size(); written += 7) {
    write(left, all.substr(0, written));
    write(left + ".spool", spooled);
    const AuditVerdict before = verify_audit({left}, log.head());
    EXPECT_TRUE(before.intact) << written << ": " << before.first_problem;
    auto opened = AuditLog::open(left);
    ASSERT_TRUE(opened) << written << ": " << opened.error().detail;
    EXPECT_EQ(opened->log.torn_bytes(), 0U);
    EXPECT_EQ(read(left), all.substr(0, written)) << written;
    ASSERT_TRUE(opened->log.drain());
    EXPECT_EQ(read(left), all) << written;
  }
}

TEST_F(SpoolTest, WhatWasBeingSpooledWhenTheProcessEndedIsNoRecord) {
  const auto lines = chain(4);
  write(path(), lines[0]);
  // Nobody was told of the third, which stands there in part, over what stood there before.
  write(spool(), lines[1] + lines[2].substr(0, 80) + lines[0] + "\n\n");
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_EQ(opened->spooled, 1U);
  ASSERT_TRUE(opened->log.drain());
  EXPECT_EQ(read(path()), lines[0] + lines[1]);
}

TEST_F(SpoolTest, WhatALossOfPowerToreGivesWayToWhatIsSpooled) {
  const auto lines = chain(3);
  // Less than the records take, and more.
  for (const std::size_t zeros : {20U, 3000U}) {
    write(path(), lines[0] + std::string(zeros, '\0'));
    write(spool(), lines[1] + lines[2]);
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << opened.error().detail;
    EXPECT_EQ(opened->repaired,
              std::to_string(zeros) + " bytes of a torn record gave way to what was spooled");
    EXPECT_EQ(opened->log.torn_bytes(), 0U);
    EXPECT_EQ(read(path()), joined(lines));
  }
}

TEST_F(SpoolTest, WhatWasTakenOverComesBeforeTheFirstRecord) {
  const auto lines = chain(4);
  write(path(), lines[0]);
  write(spool(), lines[1] + lines[2]);
  auto opened = AuditLog::open(path());
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_EQ(opened->spooled, 2U);
  EXPECT_EQ(opened->log.head(), head_of(lines[2]));
  EXPECT_EQ(read(path()), lines[0]) << "the disk may be full";
  EXPECT_TRUE(has_spool()) << "killed now, the next one finds it again";
  const EncodedRecord fourth = record(4);
  ASSERT_TRUE(opened->log.append_spooled({&fourth, 1}));
  EXPECT_EQ(read(path()), joined(lines));
  opened->log.release_idle_spool();
  EXPECT_FALSE(has_spool());
}

TEST_F(SpoolTest, PutsAsideWhatDoesNotContinueTheRecord) {
  const auto lines = chain(6);
  struct Case {
    const char* name;
    std::string file, spooled;
    std::string unplaced;
    std::uint64_t taken;
  };
  const Case cases[] = {
      {"records between them are gone", lines[0], lines[3] + lines[4],
       "record 4 of the spool does not continue record 1; it is kept in "
       "audit.jsonl.spool.unplaced-4",
       0},
      {"another past", lines[0], forged(head_of(forged({}, 9)), 2),
       "record 2 of the spool does not continue record 1; it is kept in "
       "audit.jsonl.spool.unplaced-2",
       0},
      {"the end of it only", lines[0], lines[1] + lines[4],
       "record 5 of the spool does not continue record 2; it is kept in "
       "audit.jsonl.spool.unplaced-5",
       1},
      {"a record between them was changed", lines[0],
       lines[1] + std::string(lines[2]).replace(40, 1, "?") + lines[3],
       "record 4 of the spool does not continue record 2; it is kept in "
       "audit.jsonl.spool.unplaced-4",
       1},
      {"the record went on without it", lines[0] + forged(head_of(lines[0]), 9), lines[1],
       "record 2 of the spool does not continue record 2; it is kept in "
       "audit.jsonl.spool.unplaced-2",
       0},
      {"all is there already", joined(lines), lines[3] + lines[4] + lines[1], "", 0},
      {"nothing but its filling", lines[0], std::string(4096, '\n'), "", 0},
      {"somebody's text", lines[0], "dear diary", "", 0},
      {"older ones, and one that was changed", joined(lines),
       lines[2] + std::string(lines[3]).replace(40, 1, "?"), "", 0},
  };
  for (const Case& each : cases) {
    write(path(), each.file);
    write(spool(), each.spooled);
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << each.name << ": " << opened.error().detail;
    EXPECT_EQ(opened->unplaced, each.unplaced) << each.name;
    EXPECT_EQ(opened->spooled, each.taken) << each.name;
    EXPECT_FALSE(has_spool()) << each.name;
    if (each.unplaced.empty()) continue;
    const std::string aside = path(each.unplaced.substr(each.unplaced.rfind(' ') + 1));
    EXPECT_EQ(read(aside), each.spooled) << each.name;
    std::filesystem::remove(aside);
  }
}

TEST_F(SpoolTest, WithoutASpoolTheFileTakesEverything) {
  const auto lines = chain(2);
  AuditLog log = open();
  std::filesystem::create_directories(spool());
  spool_records(log, 1, 2);
  EXPECT_EQ(read(path()), joined(lines));
  EXPECT_EQ(log.spool_problem(), "its spool cannot be created: File exists");
}

TEST_F(SpoolTest, WhatIsKeptUntilItIsDurableIsNotSpooled) {
  AuditLog log = open();
  spool_records(log, 1, 1);
  log.keep(AuditLog::Keep::until_durable);
  EXPECT_EQ(read(path()), joined(chain(1))) << "a sync is about the file alone";
  spool_records(log, 2, 2);
  EXPECT_EQ(read(path()), joined(chain(2)));
}

TEST_F(SpoolTest, ASpoolThatSomebodyCutIsUsedNoMore) {
  AuditLog log = open();
  spool_records(log, 1, 2);
  std::filesystem::resize_file(spool(), 0);
  spool_records(log, 3, 4);
  EXPECT_EQ(read(path()), joined(chain(4)));
  EXPECT_NE(log.spool_problem(), "");
}

TEST_F(SpoolTest, WhileTheDiskIsFullNothingMoreIsAcceptedAndNothingIsLost) {
  AuditLog log = open();
  const std::string target(8000, 't');
  const EncodedRecord large = encode_record({.kind = RecordKind::decision, .target = target});
  // Beyond the size of the spool, which needs room for itself.
  while (log.size() < 3 * AuditLog::kHeldMax)
    ASSERT_TRUE(log.append_spooled({&large, 1}));
  ASSERT_TRUE(log.drain());
  std::uint64_t refused = 0;
  std::uint64_t accepted = 0;
  {
    const FileSizeLimit limit(log.size() + 100'000);
    for (int i = 0; i < 80; ++i)
      ++(log.append_spooled({&large, 1}).has_value() ? accepted : refused);
    EXPECT_GT(accepted, 20U) << "until the spool was due";
    EXPECT_GT(refused, 20U);
    EXPECT_FALSE(log.append({&large, 1}));
    EXPECT_FALSE(log.drain());
    auto opened = AuditLog::open(killed());
    ASSERT_TRUE(opened) << "it refuses until there is room: " << opened.error().detail;
    EXPECT_EQ(opened->log.head(), log.head());
    EXPECT_FALSE(opened->log.append({&large, 1}));
  }
  auto opened = AuditLog::open(path("killed") + "/audit.jsonl");
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_EQ(opened->log.head(), log.head());
  ASSERT_TRUE(opened->log.drain());
  expect_whole(path("killed") + "/audit.jsonl", log.head());
  ASSERT_TRUE(log.append_spooled({&large, 1}));
  ASSERT_TRUE(log.drain());
  expect_whole(path(), log.head());
}

TEST_F(SpoolTest, WhoIsRefusedIsNotFoundInASpoolThatTookAPart) {
  const auto lines = chain(3);
  auto made = Spool::create(path(), Spool::Way::written);
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->append(lines[0], AuditLog::Look::at_file));
  {
    // Room for the second record, and not for the third.
    const FileSizeLimit limit(lines[0].size() + lines[1].size() + 10);
    EXPECT_FALSE((*made)->append(lines[1] + lines[2], AuditLog::Look::at_file));
  }
  const auto spooled = read_spool(path(), {});
  ASSERT_TRUE(spooled);
  EXPECT_EQ(spooled->text, lines[0]);
  EXPECT_FALSE((*made)->has_room(1));
}

TEST_F(SpoolTest, AReaderSaysThatItCannotReadIt) {
  write(path(), joined(chain(2)));
  std::filesystem::create_directories(spool());
  const AuditVerdict verdict = verify_audit({path()}, {});
  EXPECT_FALSE(verdict.intact);
  EXPECT_EQ(verdict.first_problem, path() + ": its spool is not a regular file");
}

TEST_F(SpoolTest, WhatIsDueToBeDurableWaitsForWhatIsSpooled) {
  AuditLog log = open();
  const EncodedRecord first = record(1);
  ASSERT_TRUE(log.append({&first, 1}));
  const std::uint64_t room = log.size() + 50;
  spool_records(log, 2, 3);
  {
    const FileSizeLimit limit(room);
    log.keep(AuditLog::Keep::until_durable);
    EXPECT_FALSE(log.append({&first, 1}));
  }
  const EncodedRecord fourth = record(4);
  ASSERT_TRUE(log.append({&fourth, 1}));
  EXPECT_EQ(read(path()), joined(chain(4)));
}

TEST_F(SpoolTest, IsDrainedBeforeItsFileIsClosed) {
  AuditLog log = open();
  spool_records(log, 1, 3);
  const auto closed = log.rotate(std::chrono::system_clock::now());
  ASSERT_TRUE(closed) << closed.error().detail;
  EXPECT_TRUE(read(*closed).starts_with(joined(chain(3))));
  spool_records(log, 6, 7);
  const AuditVerdict verdict = verify_audit({*closed, path()}, log.head());
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
}

TEST_F(SpoolTest, NeitherTakesNorLeavesWhatSomebodyElseWroteToTheFile) {
  AuditLog log = open();
  const EncodedRecord first = record(1);
  ASSERT_TRUE(log.append({&first, 1}));
  spool_records(log, 2, 3);
  const std::string mine = read(path());
  std::ofstream(path(), std::ios::app) << "dear diary";
  EXPECT_FALSE(log.drain());
  EXPECT_EQ(read(path()), mine + "dear diary");
  std::filesystem::resize_file(path(), mine.size());
  ASSERT_TRUE(log.drain());
  EXPECT_EQ(read(path()), joined(chain(3)));
}

/// One way to take lines where the file system writes in place, another one where it may not.
struct Ways {
  const char* name;
  Spool::Way way;
};
constexpr Ways kWays[] = {{"mapped", Spool::Way::mapped_in_place},
                          {"written", Spool::Way::written}};

TEST_F(SpoolTest, KeepsLinesInOrderUntilTheyAreReleased) {
  const auto lines = chain(3);
  for (const auto& [name, way] : kWays) {
    auto made = Spool::create(path(name), way);
    ASSERT_TRUE(made) << made.error().detail;
    Spool& spool = **made;
    ASSERT_TRUE(spool.append(lines[0] + lines[1], AuditLog::Look::at_file));
    EXPECT_EQ(spool.held(), lines[0] + lines[1]);
    spool.release(lines[0].size());
    EXPECT_EQ(spool.held(), lines[1]);
    ASSERT_TRUE(spool.append(lines[2], AuditLog::Look::at_file));
    EXPECT_TRUE(read(path(name) + ".spool").starts_with(joined(lines))) << name;
    const auto spooled = read_spool(path(name), head_of(lines[0]));
    ASSERT_TRUE(spooled);
    EXPECT_EQ(spooled->text, lines[1] + lines[2]);
    spool.release(spool.held().size());
    ASSERT_TRUE(spool.append(lines[2], AuditLog::Look::at_file));
    EXPECT_TRUE(read(path(name) + ".spool").starts_with(lines[2])) << "over what is released";
  }
}

TEST_F(SpoolTest, HasRoomForNoMoreThanItSays) {
  const std::string all(2 * AuditLog::kHeldMax, 'x');
  for (const auto& [name, way] : kWays) {
    auto made = Spool::create(path(name), way);
    ASSERT_TRUE(made);
    EXPECT_TRUE((*made)->has_room(all.size()));
    EXPECT_FALSE((*made)->has_room(all.size() + 1));
    ASSERT_TRUE((*made)->append(all, AuditLog::Look::at_file));
    EXPECT_TRUE((*made)->has_room(0));
    EXPECT_FALSE((*made)->has_room(1));
  }
}

}  // namespace
}  // namespace bartizan
