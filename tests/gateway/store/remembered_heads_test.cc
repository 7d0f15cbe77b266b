#include "gateway/store/remembered_heads.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "audit/chain_files.h"
#include "gateway/store/database.h"
#include "tests/audit/chain_fixture.h"

namespace bartizan {
namespace {

using Kind = RecordAgreement::Kind;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr sys_seconds kNow{seconds(1'795'262'400)};

class RememberedHeadsTest : public ChainTest {
 protected:
  void open() {
    store_.reset();
    auto opened = Store::open(path("state.db"));
    ASSERT_TRUE(opened.has_value()) << opened.error().detail;
    store_ = *opened;
  }
  std::optional<AuditHead> find(const std::string& file) {
    auto found = RememberedHeads(*store_).find(file);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    return found.value_or(std::nullopt);
  }
  void note(const std::string& file, const AuditHead& head, sys_seconds now = kNow) {
    EXPECT_TRUE(RememberedHeads(*store_).note(file, head, now).has_value());
  }
  static AuditHead head(std::uint64_t sequence, std::uint8_t byte = 7) {
    AuditHead made{.sequence = sequence};
    made.hash.fill(byte);
    return made;
  }

  /// Appends to the record and answers where it ends. `rotate` closes the file first.
  AuditHead append(std::uint64_t count, bool rotate = false) {
    auto opened = AuditLog::open(path());
    EXPECT_TRUE(opened) << opened.error().detail;
    if (rotate) {
      closed_ = opened->log.rotate(kNow).value_or("");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const EncodedRecord one = record(++number_);
      EXPECT_TRUE(opened->log.append({&one, 1}));
    }
    return opened->log.head();
  }
  /// Retention takes the first file away, and has told of it, or of a file that ended elsewhere.
  void remove_oldest(bool is_other) {
    append(3, true);
    const AuditHead last = read_end_of(closed_);
    const std::string said = (is_other ? head(last.sequence) : last).text();
    auto opened = AuditLog::open(path());
    ASSERT_TRUE(opened) << opened.error().detail;
    const EncodedRecord one = encode_record(
        {.kind = RecordKind::file_removed, .time = kNow, .file = "removed", .head = said});
    ASSERT_TRUE(opened->log.append({&one, 1}));
    std::filesystem::remove(closed_);
  }
  static AuditHead read_end_of(const std::string& file) {
    const std::string text = read(file);
    return head_of(text.substr(text.rfind('\n', text.size() - 2) + 1));
  }
  AuditHead present() const {
    const auto opened = AuditLog::open(path());
    EXPECT_TRUE(opened) << opened.error().detail;
    return opened ? opened->log.head() : AuditHead();
  }

  std::shared_ptr<Store> store_;
  std::string closed_;
  AuditHead head_;
  std::uint64_t number_ = 0;
};

TEST_F(RememberedHeadsTest, KeepTheLastOfEachRecord) {
  open();
  EXPECT_FALSE(find("/a").has_value()) << "nothing is remembered yet";
  note("/a", head(0));
  EXPECT_FALSE(find("/a").has_value()) << "an empty record is nothing";
  note("/a", head(5));
  note("/b", head(9, 1));
  note("/a", head(6, 2));
  open();
  EXPECT_EQ(find("/a"), head(6, 2));
  EXPECT_EQ(find("/b"), head(9, 1));
  // What there is after somebody had cut the record is remembered, too.
  note("/a", head(2, 3));
  EXPECT_EQ(find("/a"), head(2, 3));
}

TEST_F(RememberedHeadsTest, SayWhenTheyAreKept) {
  open();
  bool is_kept = false;
  EXPECT_TRUE(
      RememberedHeads(*store_).note("/a", head(5), kNow, [&] { is_kept = true; }).has_value());
  EXPECT_EQ(find("/a"), head(5)) << "it is asked behind that";
  EXPECT_TRUE(is_kept);
  is_kept = false;
  const auto broken = store_->ask_now<std::int64_t>([](Database& database) {
    static_cast<void>(database.run("DROP TABLE record_heads"));
    return Result<std::int64_t>(0);
  });
  ASSERT_TRUE(broken.has_value());
  EXPECT_TRUE(
      RememberedHeads(*store_).note("/a", head(6), kNow, [&] { is_kept = true; }).has_value());
  store_->close();
  EXPECT_FALSE(is_kept) << "it could not be written";
}

TEST_F(RememberedHeadsTest, CountAsFailingWhereTheyFallBehind) {
  open();
  note("/a", head(5));
  EXPECT_EQ(store_->failures(), 0U);
  const auto error = fail(ErrorCode::not_recordable, Fault::gateway, "a sync failed");
  EXPECT_TRUE(RememberedHeads(*store_).miss(error.error()).has_value());
  store_->close();
  EXPECT_TRUE(store_->is_failing());
  EXPECT_EQ(store_->failures(), 1U);
}

TEST_F(RememberedHeadsTest, AreBounded) {
  open();
  for (std::uint64_t i = 1; i <= 2 * limits::remembered_records_max; ++i)
    note("/" + std::to_string(i), head(i), kNow + seconds(i));
  const auto count = store_->ask_now<std::int64_t>(
      [](Database& database) { return database.number("SELECT count(*) FROM record_heads"); });
  EXPECT_EQ(count.value(), static_cast<std::int64_t>(limits::remembered_records_max));
  EXPECT_FALSE(find("/1").has_value());
  EXPECT_EQ(find("/32"), head(32));
  // The clock was set back: its own stays.
  note("/old", head(1), kNow - seconds(1));
  EXPECT_EQ(find("/old"), head(1));
}

TEST_F(RememberedHeadsTest, AreHeldAgainstTheRecord) {
  const struct {
    const char* name;
    std::function<void()> change;
    Kind want;
    const char* found;
  } rows[] = {
      {"the same", [] {}, Kind::same, ""},
      {"longer", [this] { append(3); }, Kind::longer, ""},
      {"longer by a file", [this] { append(3, true); }, Kind::longer, ""},
      {"longer by two files",
       [this] {
         append(3, true);
         append(3, true);
       },
       Kind::longer, ""},
      {"with a torn tail", [this] { write(path(), read(path()) + R"({"v":1,"kind":")"); },
       Kind::same, ""},
      {"cut by one",
       [this] {
         const std::string text = read(path());
         write(path(), text.substr(0, text.rfind('\n', text.size() - 2) + 1));
       },
       Kind::cut, "it ends with record 9:"},
      {"cut, and gone on by fewer than it lost",
       [this] {
         const std::string text = read(path());
         write(path(), text.substr(0, text.find('\n') + 1));
         append(3);
       },
       Kind::cut, "it ends with record 4:"},
      {"cut, and gone on by as many",
       [this] {
         const std::string text = read(path());
         write(path(), text.substr(0, text.rfind('\n', text.size() - 2) + 1));
         append(1);
       },
       Kind::changed, "its position has record 10:"},
      {"cut, and gone on by more",
       [this] {
         const std::string text = read(path());
         write(path(), text.substr(0, text.find('\n') + 1));
         append(20);
       },
       Kind::changed, "its position has record 10:"},
      {"another one",
       [this] {
         std::filesystem::remove(path());
         append(30);
       },
       Kind::changed, "its position has record 10:"},
      {"changed, with the hash that it had",
       [this] {
         std::string text = read(path());
         const std::size_t at = text.find("tool_10");
         text[at] = 'T';
         write(path(), text);
         // Opening looks at the last record only, so it is not that.
         const std::string line = forged(head_, 99);
         write(path(), text + line);
       },
       Kind::unreadable, "record 10: it does not verify: somebody changed it"},
      {"gone", [this] { std::filesystem::remove(path()); }, Kind::missing, "it has no records"},
      {"empty", [this] { write(path(), ""); }, Kind::missing, "it has no records"},
      {"without the file that has it",
       [this] {
         append(3, true);
         std::filesystem::remove(closed_);
         append(3, true);
         std::filesystem::remove(closed_);
       },
       Kind::not_there, "record 10: the files that are there begin later"},
      {"without the file that has it, as the record of its removal says",
       [this] { remove_oldest(false); }, Kind::not_there,
       "record 10: the files that are there begin later, as retention removed files, says record "
       "16"},
      {"without the file that has it, beside the record of another removal",
       [this] { remove_oldest(true); }, Kind::not_there,
       "record 10: the files that are there begin later"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path()))
      std::filesystem::remove(entry.path());
    number_ = 0;
    head_ = append(10);
    row.change();
    const RecordAgreement agreement = compare_record(path(), present(), head_);
    EXPECT_EQ(agreement.kind, row.want);
    EXPECT_TRUE(agreement.found.starts_with(row.found)) << agreement.found;
    const bool is_told = std::string_view(row.found).contains("retention");
    EXPECT_EQ(agreement.found.contains("retention"), is_told) << agreement.found;
    EXPECT_EQ(agreement.holds(), std::string_view(row.found).empty());
  }
}

}  // namespace
}  // namespace bartizan
