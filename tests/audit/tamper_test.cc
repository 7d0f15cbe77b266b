// Every way of changing a chain, at every record and at every byte: it must be seen, and the
// record that is named must be the one that was touched.
#include <algorithm>

#include "audit/verify.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

constexpr std::size_t kCount = 6;

class TamperTest : public ChainTest {
 protected:
  std::string problem_of(const std::string& bytes) {
    write(path(), bytes);
    const AuditVerdict verdict = verify_audit({path()}, std::nullopt);
    EXPECT_EQ(verdict.intact, verdict.first_problem.empty());
    return verdict.first_problem;
  }
  std::string problem_of(const std::vector<std::string>& lines) {
    return problem_of(joined(lines));
  }
  /// `FILE:LINE: WHAT` where the line is the one of index `index`.
  std::string at(std::size_t index, const std::string& what) {
    return path() + ":" + std::to_string(index + 1) + ": " + what;
  }
  static std::string number(std::size_t value) { return std::to_string(value); }
};

TEST_F(TamperTest, NamesTheRecordOfEveryFlippedBit) {
  const auto lines = chain(3);
  const std::string all = joined(lines);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto line = static_cast<std::size_t>(
        std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = all;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      EXPECT_TRUE(problem_of(bytes).starts_with(at(line, "changed: record " + number(line + 1))))
          << i << " bit " << bit << ": " << problem_of(bytes);
    }
  }
}

TEST_F(TamperTest, NamesTheRecordOfEveryDeletedOrInsertedByte) {
  const auto lines = chain(3);
  const std::string all = joined(lines);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto line = static_cast<std::size_t>(
        std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
    const std::string deleted = problem_of(std::string(all).erase(i, 1));
    EXPECT_TRUE(deleted.starts_with(at(line, "changed: record "))) << i << ": " << deleted;
    for (const char extra : {'x', '0', ' ', '"', '\n', '\0'}) {
      const std::string inserted = problem_of(std::string(all).insert(i, 1, extra));
      // Before the end of a line it makes an empty line behind that one.
      const bool new_line = extra == '\n' && all[i] == '\n';
      EXPECT_TRUE(inserted.starts_with(at(new_line ? line + 1 : line, "")))
          << i << ": " << inserted;
    }
  }
}

TEST_F(TamperTest, NamesEveryDeletedRecord) {
  const auto lines = chain(kCount);
  for (std::size_t i = 0; i + 1 < kCount; ++i) {
    auto left = lines;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(problem_of(left), at(i, "deleted: record " + number(i + 1) +
                                          " missing before record " + number(i + 2)));
  }
}

TEST_F(TamperTest, NamesEveryDeletedRun) {
  const auto lines = chain(kCount);
  for (std::size_t first = 0; first + 2 < kCount; ++first) {
    auto left = lines;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(first),
               left.begin() + static_cast<std::ptrdiff_t>(first) + 2);
    EXPECT_EQ(problem_of(left),
              at(first, "deleted: records " + number(first + 1) + " to " + number(first + 2) +
                            " missing before record " + number(first + 3)));
  }
}

TEST_F(TamperTest, NamesBothRecordsOfEverySwap) {
  const auto lines = chain(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = i + 1; j < kCount; ++j) {
      auto swapped = lines;
      std::swap(swapped[i], swapped[j]);
      EXPECT_EQ(problem_of(swapped),
                at(i, "swapped: record " + number(j + 1) + " stands where record " + number(i + 1) +
                          " belongs, which is at " + path() + ":" + number(j + 1)));
    }
  }
}

TEST_F(TamperTest, NamesEveryRecordThatStandsTwice) {
  const auto lines = chain(kCount);
  for (std::size_t copied = 0; copied < kCount; ++copied) {
    for (std::size_t to = copied + 1; to <= kCount; ++to) {
      auto more = lines;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(to), lines[copied]);
      EXPECT_EQ(problem_of(more),
                at(to, "inserted: a second record " + number(copied + 1) + " stands where record " +
                           number(to + 1) + " belongs"));
    }
  }
}

TEST_F(TamperTest, NamesEveryRecordThatWasMovedForward) {
  const auto lines = chain(kCount);
  for (std::size_t from = 1; from < kCount; ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      auto moved = lines;
      moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
      moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), lines[from]);
      EXPECT_TRUE(problem_of(moved).starts_with(at(
          to, "swapped: record " + number(from + 1) + " stands where record " + number(to + 1))));
    }
  }
}

TEST_F(TamperTest, NamesEveryForgedRecordThatContinuesTheChain) {
  const auto lines = chain(kCount);
  for (std::size_t i = 1; i < kCount; ++i) {
    auto more = lines;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), forged(head_of(lines[i - 1]), 99));
    // The original of the same number follows; the record behind it continues that one.
    const std::string problem = problem_of(more);
    if (i + 1 < kCount) {
      EXPECT_EQ(problem, at(i, "inserted: a second record " + number(i + 1) + ", which record " +
                                   number(i + 2) + " does not continue"));
    } else {
      EXPECT_TRUE(problem.starts_with(at(i + 1, "inserted: a second record "))) << problem;
    }
  }
}

TEST_F(TamperTest, NamesEveryForeignLine) {
  const auto lines = chain(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    for (const std::string& foreign : {std::string("\n"), std::string("{}\n"), lines[i] + "\n"}) {
      if (foreign == lines[i] + "\n") continue;
      auto more = lines;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), foreign);
      EXPECT_TRUE(problem_of(more).starts_with(
          at(i, "inserted: a line stands before record " + number(i + 1))));
    }
  }
}

TEST_F(TamperTest, NamesEveryRecordThatWasRewrittenWithItsHash) {
  const auto lines = chain(kCount);
  for (std::size_t i = 0; i + 1 < kCount; ++i) {
    auto rewritten = lines;
    rewritten[i] = forged(i == 0 ? AuditHead{} : head_of(lines[i - 1]), 99);
    const std::string problem = problem_of(rewritten);
    if (i + 2 < kCount) {
      EXPECT_EQ(problem, at(i, "replaced: record " + number(i + 1) +
                                   " is not the one that record " + number(i + 2) + " continues"));
    } else {
      // Nothing follows that could tell which of the two is the false one, so both are named.
      EXPECT_EQ(problem, at(i + 1, "replaced: record " + number(i + 2) + ", or record " +
                                       number(i + 1) + " at " + path() + ":" + number(i + 1) +
                                       ": they do not belong together"));
    }
  }
}

TEST_F(TamperTest, NamesEveryRecordOfAnotherChain) {
  const auto lines = chain(kCount);
  AuditHead other{.sequence = 0, .hash = {1}};
  for (std::size_t i = 0; i < kCount; ++i) {
    other.sequence = i;
    auto mixed = lines;
    mixed[i] = forged(other, i + 1);
    const std::string problem = problem_of(mixed);
    EXPECT_TRUE(problem.starts_with(at(i, "replaced: record " + number(i + 1)))) << problem;
  }
}

TEST_F(TamperTest, NamesEveryForgedRecordWithAnotherNumber) {
  const auto lines = chain(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    AuditHead before = i == 0 ? AuditHead{} : head_of(lines[i - 1]);
    before.sequence += 10;
    auto renumbered = lines;
    renumbered[i] = forged(before, i + 1);
    const std::string problem = problem_of(renumbered);
    EXPECT_TRUE(problem.starts_with(at(i, "deleted: records " + number(i + 1) + " to ")))
        << problem;
  }
}

TEST_F(TamperTest, SeesEveryTruncation) {
  const auto lines = chain(3);
  const std::string all = joined(lines);
  const AuditHead head = head_of(lines.back());
  for (std::size_t size = 0; size < all.size(); ++size) {
    write(path(), all.substr(0, size));
    const auto line = static_cast<std::size_t>(
        std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    const bool whole_lines = size == 0 || all[size - 1] == '\n';

    const AuditVerdict without = verify_audit({path()}, std::nullopt);
    EXPECT_EQ(without.intact, whole_lines) << size;
    if (whole_lines) {
      ASSERT_EQ(without.not_covered.size(), 2U);
      EXPECT_NE(without.not_covered[0].find("cut off at the end"), std::string::npos);
      EXPECT_NE(without.not_covered[1].find("another chain"), std::string::npos);
    }

    const AuditVerdict with = verify_audit({path()}, head);
    EXPECT_FALSE(with.intact) << size;
    EXPECT_EQ(with.records, line);
    const std::string expected =
        whole_lines ? ": truncated: record"
                    : ":" + number(line + 1) + ": changed: record " + number(line + 1);
    EXPECT_NE(with.first_problem.find(expected), std::string::npos) << with.first_problem;
    if (whole_lines && line == 1) {
      EXPECT_EQ(with.first_problem, at(0, "truncated: records 2 to 3 missing at the end"));
    }
  }
}

TEST_F(TamperTest, SeesAChainThatWasComputedAnewFromAnyRecordOn) {
  const auto lines = chain(kCount);
  const AuditHead head = head_of(lines.back());
  for (std::size_t from = 0; from < kCount; ++from) {
    auto anew = lines;
    AuditHead last = from == 0 ? AuditHead{} : head_of(lines[from - 1]);
    for (std::size_t i = from; i < kCount; ++i) {
      anew[i] = forged(last, 90 + i);
      last = head_of(anew[i]);
    }
    write(path(), joined(anew));
    EXPECT_TRUE(verify_audit({path()}, std::nullopt).intact);
    EXPECT_EQ(verify_audit({path()}, head).first_problem,
              at(kCount - 1, "replaced: record 6 has another hash than the head"));
  }
}

TEST_F(TamperTest, RefusesAForgedRecordThatIsNotCanonical) {
  Digester digester;
  const std::string start = record(1).body;
  const std::string bodies[] = {
      std::string(start).replace(start.find("\"ann\""), 5, "\"\\u0061nn\""),
      std::string(start).replace(start.find("bytes_in\":1"), 11, "bytes_in\":01"),
      std::string(start).replace(start.find("bytes_in\":1"), 11, "bytes_in\":0"),
      std::string(start).replace(start.find("T12:00:00"), 1, "x"),
      start + ",\"extra\":1",
      start + ",\"detail\":\"\"",
      start + ",\"detail\":\"\\u000a\"",
      start + ",\"detail\":\"\xFF\"",
  };
  for (const std::string& body : bodies) {
    ChainLine line{.body = body, .sequence = 1, .prev = {}, .hash = {}};
    line.hash = chain_hash(digester, line.prev, 1, digester.sha256(body));
    std::string bytes;
    append_chain_line(bytes, line);
    EXPECT_TRUE(problem_of(bytes).starts_with(at(0, "changed: record 1: "))) << body;
  }
}

}  // namespace
}  // namespace bartizan
