// Reading a chain while it is appended to, rotated, removed from and tampered with.
#include "audit/follow_chain.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "audit/chain_files.h"
#include "schemas/base/sha256.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

constexpr std::size_t kBatch = std::size_t{1} << 20;
const std::chrono::system_clock::time_point kNoon{std::chrono::seconds(1'795'262'400)};

class FollowTest : public ChainTest {
 protected:
  void append(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const EncodedRecord one = record(++number_);
      ASSERT_TRUE(log().append({&one, 1}));
    }
  }
  void rotate() {
    kNow += std::chrono::hours(1);
    ASSERT_TRUE(log().rotate(kNow));
  }
  AuditLog& log() {
    if (!log_.has_value()) log_.emplace(std::move(AuditLog::open(path())->log));
    return *log_;
  }
  void close() { log_.reset(); }

  /// All that is there now, by their numbers; what is wrong goes to `problems_`.
  std::vector<std::uint64_t> take(ChainFollower& follower, std::size_t bytes_max = kBatch) {
    std::vector<std::uint64_t> numbers;
    while (true) {
      const auto batch = follower.next(bytes_max);
      EXPECT_TRUE(batch.has_value()) << batch.error().detail;
      if (!batch.has_value()) return numbers;
      if (!batch->problem.empty()) problems_.push_back(batch->problem);
      for (const FollowedRecord& one : batch->records) {
        numbers.push_back(one.sequence);
        hashes_.push_back(hex_of(one.hash));
      }
      if (batch->records.empty()) return numbers;
      EXPECT_EQ(batch->last().text(), follower.last().text());
    }
  }
  static std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = first; i <= last; ++i)
      numbers.push_back(i);
    return numbers;
  }

  std::optional<AuditLog> log_;
  std::uint64_t number_ = 0;
  std::chrono::system_clock::time_point kNow = kNoon;
  std::vector<std::string> problems_;
  std::vector<std::string> hashes_;
};

TEST_F(FollowTest, WaitsForTheFirstRecord) {
  ChainFollower follower(path(), {});
  EXPECT_TRUE(take(follower).empty());
  log();
  EXPECT_TRUE(take(follower).empty());
  append(2);
  EXPECT_EQ(take(follower), range(1, 2));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(FollowTest, ReadsEachRecordOnceOverRotations) {
  ChainFollower follower(path(), {});
  std::vector<std::uint64_t> all;
  for (int round = 0; round < 5; ++round) {
    append(3);
    if (round % 2 == 0) std::ranges::copy(take(follower), std::back_inserter(all));
    rotate();
    if (round == 3) rotate();
    append(1);
  }
  std::ranges::copy(take(follower), std::back_inserter(all));
  EXPECT_EQ(all, range(1, log().head().sequence));
  EXPECT_EQ(hashes_.back(), hex_of(log().head().hash));
  EXPECT_TRUE(problems_.empty()) << problems_.front();
}

TEST_F(FollowTest, GoesOnFromAnyPlace) {
  std::vector<AuditHead> heads{{}};
  for (int file = 0; file < 3; ++file) {
    for (int i = 0; i < 3; ++i) {
      append(1);
      heads.push_back(log().head());
    }
    rotate();
    heads.push_back({});
    heads.push_back(log().head());
  }
  append(2);
  for (const AuditHead& head : heads) {
    ChainFollower follower(path(), head);
    EXPECT_EQ(take(follower), range(head.sequence + 1, log().head().sequence));
  }
  EXPECT_TRUE(problems_.empty()) << problems_.front();
}

TEST_F(FollowTest, TakesNoMoreThanItIsAskedFor) {
  append(50);
  ChainFollower follower(path(), {});
  const auto batch = follower.next(1000);
  ASSERT_TRUE(batch.has_value());
  EXPECT_GE(batch->records.size(), 1U);
  EXPECT_LE(batch->records.size(), 4U);
  EXPECT_EQ(take(follower, 1).size(), 50U - batch->records.size());
}

TEST_F(FollowTest, ATornTailIsNoRecordUntilItIsReplaced) {
  append(2);
  close();
  const std::string whole = read(path());
  write(path(), whole + R"({"v":1,"kind":"decision","time":"2026)");
  ChainFollower follower(path(), {});
  EXPECT_EQ(take(follower), range(1, 2));
  number_ = 2;
  append(1);
  EXPECT_EQ(take(follower), range(3, 3));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(FollowTest, SaysWhichRecordsWereRemovedBeforeTheyWereRead) {
  append(3);
  ChainFollower follower(path(), {});
  EXPECT_EQ(take(follower).size(), 3U);
  rotate();
  append(3);
  rotate();
  append(2);
  const auto files = find_chain(path());
  ASSERT_TRUE(files.has_value());
  ASSERT_EQ(files->size(), 3U);
  ASSERT_TRUE(remove_file(files->at(1)));
  ASSERT_TRUE(remove_file(files->at(0)));
  // The first file is open still, and is read to its end.
  EXPECT_EQ(take(follower).front(), 4U);
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_EQ(problems_[0], "records 5 to 9 were removed before they were read");
  EXPECT_EQ(follower.last(), log().head());
}

TEST_F(FollowTest, AFileThatCannotBeOpenedIsNotTakenForRemoved) {
  append(3);
  rotate();
  append(2);
  const auto files = find_chain(path());
  ASSERT_TRUE(files.has_value());
  const std::string closed = files->front().path;
  std::filesystem::rename(closed, closed + ".away");
  // No program can open a socket as a file.
  ASSERT_EQ(::mknod(closed.c_str(), S_IFSOCK | 0600, 0), 0);
  ChainFollower follower(path(), {});
  const auto refused = follower.next(kBatch);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::io_failed);
  EXPECT_NE(refused.error().detail.find(closed), std::string::npos) << refused.error().detail;
  std::filesystem::rename(closed + ".away", closed);
  // The rotation has made two records of its own.
  EXPECT_EQ(take(follower), range(1, 7));
  EXPECT_TRUE(problems_.empty());
}

/// What an attacker did, and how it is told. Records 1 to 4 were read before, 8 are there.
TEST_F(FollowTest, TellsWhatWasChangedAndGoesOn) {
  const std::vector<std::string> lines = chain(8);
  struct Case {
    std::string name;
    std::function<std::string()> now;
    std::vector<std::uint64_t> read;
    std::string problem;
  };
  const auto without = [&lines](std::size_t from, std::size_t to) {
    std::string all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i + 1 < from || i + 1 > to) all += lines[i];
    }
    return all;
  };
  const auto flipped = [&lines](std::size_t at) {
    std::string line = lines[at - 1];
    line[line.find("ann")] = 'b';
    std::string all;
    for (std::size_t i = 0; i < lines.size(); ++i)
      all += i + 1 == at ? line : lines[i];
    return all;
  };
  const auto name = [this] { return std::filesystem::path(path()).filename().string(); };
  const std::string does_not = " does not continue it";
  const std::vector<Case> cases = {
      {"nothing", [&] { return joined(lines); }, range(5, 8), ""},
      {"one is gone",
       [&] { return without(6, 6); },
       {5, 7, 8},
       name() + ": what follows record 5" + does_not},
      {"one is another",
       [&] { return flipped(6); },
       {5, 7, 8},
       name() + ": what follows record 5" + does_not},
      {"a line was put in",
       [&] { return joined({lines.begin(), lines.begin() + 5}) + "nothing\n" + without(1, 5); },
       {5, 6, 7, 8},
       name() + ": what follows record 5" + does_not},
      {"what was read is gone",
       [&] { return joined({lines.begin(), lines.begin() + 2}); },
       {1, 2},
       name() + ": ends with record 2, and record 4 was read before"},
      {"what was read is another",
       [&] { return joined({lines.begin(), lines.begin() + 3}) + forged(head_of(lines[2]), 99); },
       {1, 2, 3, 4},
       name() + ": record 4 is another one than was read before"},
      // Found by a reader: what came after the cut was taken for what was read before.
      {"what was read was cut, and others came in its place",
       [&] { return joined({lines.begin(), lines.begin() + 2}) + forged(head_of(lines[1]), 98); },
       {1, 2, 3},
       name() + ": ends with record 3, and record 4 was read before"},
  };
  for (const Case& each : cases) {
    problems_.clear();
    write(path(), each.now());
    ChainFollower follower(path(), head_of(lines[3]));
    EXPECT_EQ(take(follower), each.read) << each.name;
    if (each.problem.empty()) {
      EXPECT_TRUE(problems_.empty()) << each.name << ": " << problems_.front();
      continue;
    }
    ASSERT_FALSE(problems_.empty()) << each.name;
    EXPECT_EQ(problems_.front(), each.problem) << each.name;
  }
}

TEST_F(FollowTest, TellsOfAFileThatIsCutWhileItIsRead) {
  append(4);
  close();
  ChainFollower follower(path(), {});
  EXPECT_EQ(take(follower).size(), 4U);
  const std::string text = read(path());
  std::filesystem::resize_file(path(), text.find('\n') + 1);
  EXPECT_EQ(take(follower), range(1, 1));
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_TRUE(problems_[0].ends_with(": was cut while it was read"));
  number_ = 1;
  append(1);
  EXPECT_EQ(take(follower), range(2, 2));
}

// Found by a reader: more junk than a line can be ended the reading without a word.
TEST_F(FollowTest, PassesOverJunkOfAnyLength) {
  const std::vector<std::string> lines = chain(6);
  const auto with_junk = [&lines](std::size_t bytes) {
    return joined({lines.begin(), lines.begin() + 3}) + std::string(bytes, 'x') + "\n" +
           joined({lines.begin() + 3, lines.end()});
  };
  for (const std::size_t megabytes : {1U, 3U, 6U}) {
    problems_.clear();
    write(path(), with_junk(megabytes << 20));
    ChainFollower follower(path(), {});
    EXPECT_EQ(take(follower), range(1, 6)) << megabytes;
    ASSERT_FALSE(problems_.empty()) << megabytes;
    EXPECT_TRUE(problems_[0].contains("what follows record 3")) << problems_[0];
  }
}

TEST_F(FollowTest, AChainIsCalledByItsFirstRecord) {
  EXPECT_FALSE(find_chain_name(path()).has_value());
  append(1);
  const std::string name = hex_of(log().head().hash);
  EXPECT_EQ(find_chain_name(path()), name);
  rotate();
  append(1);
  rotate();
  EXPECT_EQ(find_chain_name(path()), name);
  const auto files = find_chain(path());
  ASSERT_TRUE(files.has_value());
  ASSERT_TRUE(remove_file(files->at(0)));
  ASSERT_TRUE(remove_file(files->at(1)));
  EXPECT_EQ(find_chain_name(path()), name);
}

}  // namespace
}  // namespace bartizan
