#include "audit/find_hash.h"

#include <filesystem>

#include "audit/chain_files.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using std::chrono::hours;
const AuditLog::Time kNoon(std::chrono::seconds(1'795'262'400));

class FindHashTest : public ChainTest {
 protected:
  /// Two closed files and an open one, each with `count` records beside those that join them.
  void make_files(std::uint64_t count) {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened);
    std::vector<EncodedRecord> records;
    for (std::uint64_t i = 1; i <= count; ++i)
      records.push_back(record(i));
    for (int file = 0; file < 3; ++file) {
      ASSERT_TRUE(opened->log.append(records));
      if (file == 2) break;
      const auto closed = opened->log.rotate(kNoon + hours(file));
      ASSERT_TRUE(closed) << closed.error().detail;
      closed_.push_back(*closed);
    }
    last_ = opened->log.head();
  }
  /// What each line says that it is.
  std::vector<AuditHead> heads() const {
    std::vector<AuditHead> heads;
    for (const std::string& file : chain_paths(path())) {
      std::ifstream lines(file);
      for (std::string line; std::getline(lines, line);)
        heads.push_back(head_of(line + "\n"));
    }
    return heads;
  }

  std::vector<std::string> closed_;
  AuditHead last_;
};

TEST_F(FindHashTest, ReadsASmallFileThrough) {
  make_files(2);
  for (const AuditHead& head : heads())
    EXPECT_EQ(find_hash(path(), head.sequence).value(), head.hash) << head.sequence;
}

TEST_F(FindHashTest, SearchesALargeFileByHalves) {
  make_files(1000);
  ASSERT_GT(std::filesystem::file_size(closed_[1]), 200'000U);
  const std::vector<AuditHead> all = heads();
  ASSERT_EQ(all.size(), last_.sequence);
  for (std::size_t i = 0; i < all.size(); i += 101)
    EXPECT_EQ(find_hash(path(), all[i].sequence).value(), all[i].hash) << all[i].sequence;
  // Where files end and begin.
  for (const std::size_t i : {999U, 1000U, 1001U, 2001U, 2002U, 2003U})
    EXPECT_EQ(find_hash(path(), all[i].sequence).value(), all[i].hash) << all[i].sequence;
  EXPECT_EQ(find_hash(path(), last_.sequence).value(), last_.hash);
}

TEST_F(FindHashTest, FindsNoneThatIsNotThere) {
  make_files(10);
  const auto later = find_hash(path(), last_.sequence + 1);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().code, ErrorCode::not_found);
  EXPECT_EQ(later.error().detail, "the files that are there end before it");
  // Retention, or somebody, took the first file away.
  ASSERT_TRUE(find_hash(path(), 3));
  std::filesystem::remove(closed_[0]);
  const auto earlier = find_hash(path(), 3);
  ASSERT_FALSE(earlier);
  EXPECT_EQ(earlier.error().code, ErrorCode::not_found);
  EXPECT_EQ(earlier.error().detail, "the files that are there begin later");
  EXPECT_TRUE(find_hash(path(), last_.sequence));
}

TEST_F(FindHashTest, SeesThatALineWasChanged) {
  make_files(500);
  const std::string line = R"("target":"tool_251")";
  std::string text = read(closed_[0]);
  const std::size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos);
  text[at + line.size() - 2] = '2';
  write(closed_[0], text);
  const auto found = find_hash(path(), 251);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().detail, "it does not verify: somebody changed it");
  EXPECT_TRUE(find_hash(path(), 250)) << "the one before is as it was";
}

TEST_F(FindHashTest, DoesNotFindALineThatWasTakenAway) {
  make_files(500);
  std::string text = read(closed_[0]);
  const std::size_t at = text.find(R"(,"seq":351,)");
  ASSERT_NE(at, std::string::npos);
  const std::size_t begin = text.rfind('\n', at) + 1;
  text.erase(begin, text.find('\n', at) + 1 - begin);
  write(closed_[0], text);
  const auto found = find_hash(path(), 351);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::not_found);
  EXPECT_EQ(found.error().detail, "it is missing from its position");
}

// Files that somebody made may lead back to themselves: whoever follows them comes to an end.
TEST_F(FindHashTest, FollowsNoCircle) {
  make_files(3);
  const auto closed = find_chain(path());
  ASSERT_TRUE(closed);
  ASSERT_EQ(closed->size(), 3U);
  // A file whose first line says that it continues its own last one.
  const ChainFile& second = (*closed)[1];
  const std::string name = std::filesystem::path(second.path).filename();
  const std::string text = read(second.path);
  std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  const AuditHead end = head_of(last);
  Digester digester;
  const EncodedRecord begin = encode_record(
      {.kind = RecordKind::file_begin, .time = kNoon, .file = name, .head = end.text()});
  std::string first;
  append_chain_line(first,
                    {.body = begin.body,
                     .sequence = end.sequence + 1,
                     .prev = end.hash,
                     .hash = chain_hash(digester, end.hash, end.sequence + 1, begin.digest)});
  write(second.path, first + last);
  EXPECT_EQ(find_chain(path())->size(), 1U) << "it cannot be what the last one continues";
  EXPECT_FALSE(find_hash(path(), 1));
}

}  // namespace
}  // namespace bartizan
