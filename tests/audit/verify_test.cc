#include "audit/verify.h"

#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using VerifyTest = ChainTest;

TEST_F(VerifyTest, AnEmptyFileIsAChainOfNothing) {
  write(path(), "");
  const AuditVerdict verdict = verify_audit({path()}, std::nullopt);
  EXPECT_TRUE(verdict.intact);
  EXPECT_EQ(verdict.head, AuditHead{});
}

TEST_F(VerifyTest, ReadsSeveralFilesAsOneChain) {
  const auto lines = chain(5);
  write(path("a"), lines[0] + lines[1]);
  write(path("b"), "");
  write(path("c"), lines[2] + lines[3] + lines[4]);
  const AuditVerdict verdict =
      verify_audit({path("a"), path("b"), path("c")}, head_of(lines.back()));
  EXPECT_TRUE(verdict.intact) << verdict.first_problem;
  EXPECT_EQ(verdict.records, 5U);
  EXPECT_TRUE(verdict.not_covered.empty());
  EXPECT_EQ(verify_audit({path("c")}, std::nullopt).first_problem,
            path("c") + ":1: deleted: records 1 to 2 missing before record 3");
  EXPECT_EQ(verify_audit({path("c"), path("a")}, std::nullopt).first_problem,
            path("c") + ":1: swapped: record 3 stands where record 1 belongs, which is at " +
                path("a") + ":1");
}

TEST_F(VerifyTest, SaysWhatIsNewerThanTheHead) {
  const auto lines = chain(4);
  write(path(), joined(lines));
  const AuditVerdict verdict = verify_audit({path()}, head_of(lines[1]));
  EXPECT_TRUE(verdict.intact);
  ASSERT_EQ(verdict.not_covered.size(), 1U);
  EXPECT_TRUE(verdict.not_covered[0].starts_with("records 3 to 4: they are newer"));
}

TEST_F(VerifyTest, AWrongHeadIsNamedAtItsRecord) {
  const auto lines = chain(3);
  write(path(), joined(lines));
  AuditHead wrong = head_of(lines[1]);
  wrong.hash[31] ^= 1;
  EXPECT_EQ(verify_audit({path()}, wrong).first_problem,
            path() + ":2: replaced: record 2 has another hash than the head");
  EXPECT_FALSE(verify_audit({path()}, AuditHead{.sequence = 0, .hash = {1}}).intact);
}

TEST_F(VerifyTest, AFileThatCannotBeReadIsAProblem) {
  const AuditVerdict missing = verify_audit({path("none")}, std::nullopt);
  EXPECT_FALSE(missing.intact);
  EXPECT_TRUE(missing.first_problem.starts_with(path("none") + ": cannot be opened"));
  EXPECT_FALSE(verify_audit({path(".")}, std::nullopt).intact);
}

TEST_F(VerifyTest, ALineLongerThanAnyRecordIsNeitherHeldNorAccepted) {
  const auto lines = chain(2);
  write(path(), lines[0] + std::string(3 * kRecordLineMax, 'x') + "\n" + lines[1]);
  EXPECT_EQ(verify_audit({path()}, std::nullopt).first_problem,
            path() +
                ":2: inserted: a line stands before record 2 that is not part of the chain: "
                "the line is longer than a record can be");
}

TEST_F(VerifyTest, TellsHowFarItIs) {
  write(path(), joined(chain(10'000)));
  std::vector<std::uint64_t> told;
  verify_audit({path()}, std::nullopt, [&told](std::uint64_t records) { told.push_back(records); });
  EXPECT_EQ(told, (std::vector<std::uint64_t>{4096, 8192}));
}

TEST(AuditHeadText, GoesThereAndBack) {
  AuditHead head{.sequence = 18446744073709551615U, .hash = {}};
  head.hash[0] = 0xAB;
  const auto parsed = parse_audit_head(head.text());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, head);
}

TEST(AuditHeadText, RefusesOtherSpellings) {
  const std::string hex(64, 'a');
  const std::string cases[] = {"",
                               "5",
                               ":" + hex,
                               "5:",
                               "5:" + hex + "a",
                               "5:" + hex.substr(1),
                               "-5:" + hex,
                               "5x:" + hex,
                               "5:" + std::string(64, 'A'),
                               "5:" + std::string(64, 'g'),
                               "18446744073709551616:" + hex,
                               "5:" + hex + ":",
                               "5:" + hex + ":" + std::string(86, 'A')};
  for (const std::string& text : cases)
    EXPECT_FALSE(parse_audit_head(text)) << text;
  EXPECT_TRUE(parse_audit_head("5:" + hex));
}

class FindRecordsTest : public ChainTest {
 protected:
  void add(AuditLog& log, std::string_view id, std::string_view target) {
    Record record;
    record.decision_id = id;
    record.target = target;
    const EncodedRecord encoded = encode_record(record);
    ASSERT_TRUE(log.append({&encoded, 1}));
  }
  std::size_t count(std::string_view id) {
    std::size_t count = 0;
    find_records({path()}, id, [&count](std::string_view) { ++count; });
    return count;
  }
};

TEST_F(FindRecordsTest, FindsByWholeIdOrByItsOnlyBeginning) {
  {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened);
    add(opened->log, "0190aa11", "first");
    add(opened->log, "0190bb22", "second");
    add(opened->log, "0190aa11", "first again");
    add(opened->log, "0190", ",\"decision_id\":\"0190cc33\"");
    add(opened->log, "0190dd44", "behind the one whose whole id is the beginning of this");
    add(opened->log, "", ",\"decision_id\":\"0190cc33\"");
  }
  struct Case {
    const char* id;
    std::size_t found;
  };
  const Case cases[] = {{"0190aa11", 2}, {"0190aa", 2}, {"0190b", 1}, {"0190", 1},
                        {"019", 0},      {"0190cc", 0}, {"ffff", 0},  {"", 0}};
  for (const Case& each : cases)
    EXPECT_EQ(count(each.id), each.found) << each.id;
  const auto found = [&](std::string_view id) {
    return find_records({path()}, id, [](std::string_view) {}).kind;
  };
  using enum FoundRecords::Kind;
  EXPECT_EQ(found("0190aa"), one);
  EXPECT_EQ(found("019"), several);
  EXPECT_EQ(found("ffff"), none);
  EXPECT_EQ(found("last"), none);  // Nothing was refused.

  const FoundRecords ambiguous = find_records({path()}, "019", [](std::string_view) {});
  ASSERT_EQ(ambiguous.candidates.size(), 4U);
  EXPECT_TRUE(ambiguous.candidates[1].contains("0190bb22"));
  EXPECT_FALSE(ambiguous.has_more);

  std::vector<std::string> lines;
  find_records({path()}, "0190bb22", [&lines](std::string_view line) { lines.emplace_back(line); });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(format_record(lines[0], RecordLayout::line).find("second") != std::string::npos);
}

TEST_F(FindRecordsTest, ListsSoManyCandidatesAndSaysThatThereAreMore) {
  {
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened);
    for (const char last : std::string_view("abcdefghijk"))
      add(opened->log, std::string("0190") + last, "x");
  }
  const FoundRecords found = find_records({path()}, "0190", [](std::string_view) {});
  EXPECT_EQ(found.kind, FoundRecords::Kind::several);
  EXPECT_EQ(found.candidates.size(), FoundRecords::candidates_max);
  EXPECT_TRUE(found.has_more);
}

}  // namespace
}  // namespace bartizan
