// Questions about a record: what is found, what is counted, and what becomes of an index whose
// record was rotated, removed or changed.
#include "gateway/index/record_index.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "audit/chain.h"
#include "audit/chain_files.h"
#include "gateway/index/format_report.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using std::chrono::hours;
using Numbers = std::vector<std::uint64_t>;

const std::chrono::system_clock::time_point kNoon{std::chrono::seconds(1'795'262'400)};
constexpr std::int64_t kNoonMicros = 1'795'262'400'000'000;
constexpr std::int64_t kHour = 3'600'000'000;

class IndexTest : public ChainTest {
 protected:
  IndexTest() { log_.emplace(std::move(AuditLog::open(path())->log)); }

  void append(Record made, int hour = 0) {
    made.time = kNoon + hours(hour);
    const EncodedRecord one = encode_record(made);
    ASSERT_TRUE(log_->append({&one, 1}));
  }
  /// Six records: two calls of ann's, one of which is refused, a withheld result, a stranger, and a
  /// release.
  void append_some() {
    append({.kind = RecordKind::decision,
            .decision_id = "id-1",
            .principal = "ann",
            .server = "files",
            .method = "tools/call",
            .target = "read",
            .argument_digest = "d1",
            .arguments = {R"(/path "/srv/notes.txt")"},
            .decision = "permit",
            .rule = "readers"});
    append({.kind = RecordKind::outcome,
            .decision_id = "id-1",
            .principal = "ann",
            .server = "files",
            .method = "tools/call",
            .target = "read",
            .redacted = {"github.token mask 2", "email hash 1"},
            .outcome = Outcome::success,
            .duration_us = 4000});
    append({.kind = RecordKind::decision,
            .decision_id = "id-2",
            .principal = "ann",
            .server = "files",
            .method = "tools/call",
            .target = "delete",
            .argument_digest = "d2",
            .decision = "deny",
            .reason = "forbidden",
            .category = "security",
            .rule = "no-deletes"},
           1);
    append({.kind = RecordKind::outcome,
            .principal = "bob",
            .server = "web",
            .method = "tools/call",
            .target = "fetch",
            .reason = "content_withheld",
            .outcome = Outcome::tool_error,
            .duration_us = 90'000},
           2);
    append({.kind = RecordKind::refusal,
            .source = "10.0.0.9:4711",
            .reason = "credentials_invalid",
            .category = "security"},
           3);
    append({.kind = RecordKind::release,
            .principal = "olga",
            .server = "web",
            .target = "fetch",
            .detail = "=cmd|'x'!A1"},
           4);
  }
  std::unique_ptr<RecordIndex> open() {
    auto index = RecordIndex::open(path());
    EXPECT_TRUE(index.has_value()) << index.error().detail;
    const auto refreshed = (*index)->refresh();
    EXPECT_TRUE(refreshed.has_value()) << refreshed.error().detail;
    added_ = refreshed.has_value() ? refreshed->added : 0;
    return *std::move(index);
  }
  static Numbers find(RecordIndex& index, const RecordQuery& query) {
    Numbers numbers;
    const Result<void> found = index.find(
        query, [&](std::string_view line) { numbers.push_back(split_chain_line(line)->sequence); });
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    return numbers;
  }

  std::optional<AuditLog> log_;
  std::uint64_t added_ = 0;
};

TEST_F(IndexTest, FindsWhatIsAskedForAndNothingElse) {
  append_some();
  const auto index = open();
  EXPECT_EQ(added_, 6U);
  const TimeSpan second{.since = kNoonMicros + kHour, .until = kNoonMicros + 2 * kHour};
  struct Case {
    std::string name;
    RecordQuery query;
    Numbers want;
  };
  const std::vector<Case> cases = {
      {"all", {}, {1, 2, 3, 4, 5, 6}},
      {"the last two", {.limit = 2}, {5, 6}},
      {"one hour, and not the moment that ends it", {.span = second}, {3}},
      {"since", {.span = {.since = kNoonMicros + 3 * kHour}}, {5, 6}},
      {"until", {.span = {.until = kNoonMicros + kHour}}, {1, 2}},
      {"a principal", {.principal = "ann"}, {1, 2, 3}},
      {"a principal that begins alike", {.principal = "an"}, {}},
      {"a server", {.server = "web"}, {4, 6}},
      {"a tool", {.server = "files", .target = "read"}, {1, 2}},
      {"a tool of any server", {.target = "fetch"}, {4, 6}},
      {"a rule", {.rule = "no-deletes"}, {3}},
      {"a reason", {.reason = "credentials_invalid"}, {5}},
      {"permitted", {.decision = "permit"}, {1}},
      {"refused, with what was withheld", {.decision = "deny"}, {3, 4, 5}},
      {"a kind", {.kind = "release"}, {6}},
      {"no kind", {.kind = "nothing"}, {}},
      {"redacted", {.redacted = true}, {2}},
      {"a word of an argument", {.words = {"notes"}}, {1}},
      {"a word that begins so", {.words = {"not"}}, {1}},
      {"a path, as its words", {.words = {"/srv/notes.txt"}}, {1}},
      {"two words", {.words = {"ann", "delete"}}, {3}},
      {"a word that nobody wrote", {.words = {"\"; DROP TABLE record"}}, {}},
      {"an address", {.words = {"10.0.0.9"}}, {5}},
      {"arguments", {.arguments = {"d2"}}, {3}},
      {"arguments in two spellings", {.arguments = {"none", "d1"}}, {1}},
      {"several at once", {.principal = "ann", .decision = "deny"}, {3}},
      {"a text that looks like SQL", {.principal = "' OR 1=1 --"}, {}},
  };
  for (const Case& each : cases)
    EXPECT_EQ(find(*index, each.query), each.want) << each.name;
}

TEST_F(IndexTest, CountsForAReport) {
  append_some();
  const auto index = open();
  const auto report = index->report({});
  ASSERT_TRUE(report.has_value()) << report.error().detail;
  EXPECT_EQ(report->records, 6U);
  EXPECT_EQ(report->permitted, 1U);
  EXPECT_EQ(report->denied, 2U);
  EXPECT_EQ(report->withheld, 1U);
  const auto joined = [](const std::vector<CountedText>& texts) {
    std::string all;
    for (const CountedText& one : texts)
      all += one.text + " " + std::to_string(one.count) + ";";
    return all;
  };
  EXPECT_EQ(joined(report->reasons), "content_withheld 1;credentials_invalid 1;forbidden 1;");
  EXPECT_EQ(joined(report->rules), "no-deletes 1;");
  EXPECT_EQ(joined(report->refused), "ann 1;bob 1;");
  EXPECT_EQ(joined(report->callers), "ann 1;");
  EXPECT_EQ(joined(report->secrets), "github.token mask 2;email hash 1;");
  EXPECT_EQ(joined(report->operators), "release 1;");
  EXPECT_EQ(joined(report->days), "2026-11-21 3;");
  ASSERT_EQ(report->slowest.size(), 2U);
  EXPECT_EQ(report->slowest[0].tool, "web/fetch");
  EXPECT_EQ(report->slowest[0].p95, 90'000U);
  const auto nothing = index->report({.since = kNoonMicros + 100 * kHour});
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(nothing->records, 0U);
}

TEST_F(IndexTest, CountsWhatASummaryStandsForAndNoRefusedCallAsACall) {
  append({.kind = RecordKind::decision,
          .principal = "ann",
          .server = "files",
          .method = "tools/call",
          .target = "delete",
          .decision = "deny",
          .reason = "forbidden"});
  append({.kind = RecordKind::outcome,
          .principal = "ann",
          .server = "files",
          .method = "tools/call",
          .target = "delete",
          .outcome = Outcome::denied,
          .duration_us = 300});
  Record summary{.kind = RecordKind::refusal, .source = "10.0.0.9"};
  summary.reason = "credentials_invalid";
  summary.count = 20'000;
  append(summary);
  const auto report = open()->report({});
  ASSERT_TRUE(report.has_value()) << report.error().detail;
  EXPECT_EQ(report->records, 3U);
  EXPECT_EQ(report->denied, 20'001U);
  EXPECT_TRUE(report->tools.empty()) << "it was refused";
  EXPECT_TRUE(report->slowest.empty());
  ASSERT_EQ(report->reasons.size(), 2U);
  EXPECT_EQ(report->reasons[0].count, 20'000U);
}

TEST_F(IndexTest, ReportsShowNamesAsTheyAreAndObeyNone) {
  Record made{.kind = RecordKind::decision};
  made.decision = "deny";
  made.reason = "forbidden";
  made.principal = "<script>alert(1)</script>|[x](y)";
  append(made);
  const auto report = open()->report({});
  ASSERT_TRUE(report.has_value());
  const std::string html = format_report_html(*report, "r\x1b[2J");
  EXPECT_FALSE(html.contains("<script"));
  EXPECT_TRUE(html.contains("&lt;script&gt;"));
  EXPECT_FALSE(html.contains('\x1b'));
  EXPECT_TRUE(html.contains("default-src 'none'"));
  const std::string markdown = format_report_markdown(*report, "r");
  EXPECT_TRUE(markdown.contains(R"(\<script\>alert\(1\)\</script\>\|\[x\]\(y\))")) << markdown;
  EXPECT_TRUE(format_report_text(*report, "r").contains("forbidden"));
  EXPECT_TRUE(format_report_json(*report, "r").contains(R"({"what":"forbidden","count":1})"));
}

TEST_F(IndexTest, TakesUpWhatIsNewAlone) {
  append_some();
  open();
  append({.kind = RecordKind::decision, .principal = "carl", .decision = "permit"});
  ASSERT_TRUE(log_->rotate(kNoon + hours(9)));
  append({.kind = RecordKind::decision, .principal = "carl", .decision = "permit"});
  const auto index = open();
  EXPECT_EQ(added_, 4U);
  EXPECT_EQ(find(*index, {.principal = "carl"}), (Numbers{7, 10}));
  EXPECT_EQ(find(*index, {.principal = "ann"}).size(), 3U);
}

TEST_F(IndexTest, ForgetsWhatRetentionRemoved) {
  append_some();
  ASSERT_TRUE(log_->rotate(kNoon + hours(9)));
  append({.kind = RecordKind::decision, .principal = "ann", .decision = "permit"});
  open();
  const auto files = find_chain(path());
  ASSERT_TRUE(files.has_value());
  ASSERT_TRUE(remove_file(files->front()));
  const auto index = open();
  EXPECT_EQ(find(*index, {.principal = "ann"}), (Numbers{9}));
}

TEST_F(IndexTest, IsNeverTheTruth) {
  append_some();
  open();
  log_.reset();
  // Somebody changes a line, with the same length.
  std::string text = read(path());
  text.replace(text.rfind("\"ann\""), 5, "\"amy\"");
  write(path(), text);
  const auto index = open();
  const Result<void> found = index->find({.principal = "ann"}, [](std::string_view) {});
  ASSERT_FALSE(found.has_value());
  EXPECT_TRUE(found.error().detail.contains("run bartizan audit verify")) << found.error().detail;
}

// A report reads no record, so that what was changed has to be noticed by the file.
TEST_F(IndexTest, NoticesWhatWasChangedAfterwards) {
  append_some();
  ASSERT_TRUE(log_->rotate(kNoon + hours(9)));
  append({.kind = RecordKind::decision, .principal = "carl", .decision = "permit"});
  append({.kind = RecordKind::decision, .principal = "dora", .decision = "permit"});
  const auto files = find_chain(path());
  ASSERT_TRUE(files.has_value());
  const std::string closed = files->front().path;
  const std::string whole = read(closed);
  const std::string newest = read(path());
  const auto changed = [](std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.rfind(from), from.size(), to);
  };
  const struct {
    std::string name;
    std::function<void()> harm;
    bool is_noticed;
  } rows[] = {
      {"nothing", [] {}, false},
      {"a closed file, with the same length",
       [&] { write(closed, changed(whole, "\"ann\"", "\"amy\"")); }, true},
      {"the same again, still changed", [] {}, true},
      {"as it was", [&] { write(closed, whole); }, false},
      {"the newest file", [&] { write(path(), changed(newest, "carl", "karl")); }, true},
      {"as it was before", [&] { write(path(), newest); }, false},
      {"a closed file that is copied", [&] { write(closed, whole); }, false},
      {"a closed file with another mode",
       [&] { std::filesystem::permissions(closed, std::filesystem::perms::owner_read); }, false},
  };
  open();
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    row.harm();
    auto index = RecordIndex::open(path());
    ASSERT_TRUE(index.has_value());
    const auto refreshed = (*index)->refresh();
    ASSERT_TRUE(refreshed.has_value()) << refreshed.error().detail;
    EXPECT_EQ(refreshed->problems.size(), row.is_noticed ? 1U : 0U)
        << (refreshed->problems.empty() ? "" : refreshed->problems.front());
    EXPECT_EQ(refreshed->added, 0U);
    if (!row.is_noticed || refreshed->problems.empty()) continue;
    EXPECT_TRUE(refreshed->problems.front().ends_with("and was changed after it was indexed"));
  }
}

TEST_F(IndexTest, NoticesAChangeOfAFileThatGrew) {
  append_some();
  open();
  append({.kind = RecordKind::decision, .principal = "carl", .decision = "permit"});
  auto index = RecordIndex::open(path());
  ASSERT_TRUE(index.has_value());
  EXPECT_TRUE((*index)->refresh()->problems.empty());
  // In place, while the gateway writes.
  const std::string text = read(path());
  const std::size_t place = text.find("\"ann\"", text.find('\n'));
  std::fstream(path(), std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(place))
      .write("\"amy\"", 5);
  append({.kind = RecordKind::decision, .principal = "carl", .decision = "permit"});
  const auto refreshed = (*index)->refresh();
  ASSERT_TRUE(refreshed.has_value()) << refreshed.error().detail;
  EXPECT_EQ(refreshed->added, 1U);
  ASSERT_EQ(refreshed->problems.size(), 1U);
}

// What an index lacks because the record was broken is there when the record is whole again.
TEST_F(IndexTest, OfABrokenRecordIsMadeAnew) {
  append_some();
  log_.reset();
  const std::string whole = read(path());
  std::string broken = whole;
  broken.replace(broken.rfind("\"ann\""), 5, "\"amy\"");
  const auto ask = [this](std::size_t problems) {
    auto index = RecordIndex::open(path());
    EXPECT_TRUE(index.has_value());
    const auto refreshed = (*index)->refresh();
    EXPECT_TRUE(refreshed.has_value());
    EXPECT_EQ(refreshed->problems.size(), problems);
    return find(**index, {.principal = "ann"});
  };
  const Numbers all = ask(0);
  std::filesystem::remove(path() + ".index");
  write(path(), broken);
  EXPECT_LT(ask(1).size(), all.size());
  EXPECT_LT(ask(1).size(), all.size());
  write(path(), whole);
  EXPECT_EQ(ask(0), all);
}

TEST_F(IndexTest, IsMadeAnewWhereItCannotBeUsed) {
  append_some();
  struct Case {
    std::string name;
    std::function<void()> harm;
    Numbers want = {1, 2, 3};
  };
  const std::string file = path("audit.jsonl.index");
  const std::vector<Case> cases = {
      {"it is gone", [&] { std::filesystem::remove(file); }},
      {"it is empty", [&] { write(file, ""); }},
      {"its record is another chain",
       [&] {
         log_.reset();
         std::filesystem::remove(path());
         log_.emplace(std::move(AuditLog::open(path())->log));
         append({.kind = RecordKind::decision, .principal = "dora", .decision = "permit"});
         append_some();
       },
       {2, 3, 4}},
  };
  open();
  for (const Case& each : cases) {
    each.harm();
    const auto index = open();
    EXPECT_EQ(find(*index, {.principal = "ann"}), each.want) << each.name;
    EXPECT_GE(added_, 6U) << each.name;
  }
}

// Found by a reader: whatever stood at the path was removed, the record too.
TEST_F(IndexTest, NothingElseIsEverReplaced) {
  append_some();
  const std::string garbage =
      "this is not a database, and longer than the head of one is, by far, so it "
      "has something where the number of an application stands";
  write(path("notes"), garbage);
  for (const std::string& file : {path(), path("notes")}) {
    const std::string before = read(file);
    const auto index = RecordIndex::open(path(), file);
    ASSERT_FALSE(index.has_value()) << file;
    EXPECT_TRUE(index.error().detail.contains("is there, and no index")) << index.error().detail;
    EXPECT_EQ(read(file), before);
  }
  EXPECT_FALSE(RecordIndex::open(path(), path("")).has_value()) << "a folder";
}

TEST_F(IndexTest, ARecordThatWasCutIsSaid) {
  append_some();
  open();
  log_.reset();
  const std::string text = read(path());
  write(path(), text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  log_.emplace(std::move(AuditLog::open(path())->log));
  append({.kind = RecordKind::decision, .principal = "eve", .decision = "permit"});
  auto index = RecordIndex::open(path());
  ASSERT_TRUE(index.has_value());
  const auto refreshed = (*index)->refresh();
  ASSERT_FALSE(refreshed.has_value());
  EXPECT_TRUE(refreshed.error().detail.contains("run bartizan audit verify"));
  index->reset();
  // The next question makes it anew, of what is there.
  EXPECT_EQ(find(*open(), {.principal = "eve"}), (Numbers{6}));
}

TEST_F(IndexTest, IsItsOwnersAlone) {
  append_some();
  open();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path("audit.jsonl.index")).permissions(),
            perms::owner_read | perms::owner_write);
}

}  // namespace
}  // namespace bartizan
