#include "gateway/store/database.h"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "gateway/store/migrations.h"
#include "gateway/store/store.h"
#include "tests/config/folder.h"
#include "tests/gateway/store/opened_state.h"

namespace bartizan {
namespace {

namespace fs = std::filesystem;

class DatabaseTest : public testing::Test {
 protected:
  std::unique_ptr<Database> open() const {
    auto opened = open_database(path_);
    EXPECT_TRUE(opened.has_value()) << opened.error().detail;
    return opened.has_value() ? std::move(*opened) : nullptr;
  }
  std::unique_ptr<Database> open_ready() const {
    auto database = open();
    const auto migrated = migrate(*database, migrations());
    EXPECT_TRUE(migrated.has_value()) << migrated.error().detail;
    return database;
  }
  static std::int64_t number(Database& database, Sql text) {
    const auto found = database.number(text);
    EXPECT_TRUE(found.has_value()) << found.error().detail;
    return found.value_or(-1);
  }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Folder folder_;
  const std::string path_ = folder_.name("state.db");
};

TEST_F(DatabaseTest, WritesDurablyAndTrustsNothingOfTheFile) {
  const auto database = open();
  const struct {
    Sql asked;
    std::int64_t want;
  } rows[] = {{"PRAGMA synchronous", 2},
              {"PRAGMA trusted_schema", 0},
              {"PRAGMA cell_size_check", 1},
              {"PRAGMA foreign_keys", 1},
              {"PRAGMA application_id", kStateApplication},
              {"PRAGMA max_page_count", 65'536},
              {"PRAGMA mmap_size", 0},
              {"PRAGMA wal_autocheckpoint", 256}};
  for (const auto& row : rows)
    EXPECT_EQ(number(*database, row.asked), row.want) << row.asked.text();
  const auto mode = database->query("PRAGMA journal_mode");
  EXPECT_EQ(text_of(mode->front().front()), "wal");
  EXPECT_FALSE(database->run("ATTACH DATABASE ':memory:' AS other").has_value());
  EXPECT_FALSE(database->run("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema").has_value());
}

TEST_F(DatabaseTest, BindsWhateverTextsHold) {
  const auto database = open();
  ASSERT_TRUE(database->run("CREATE TABLE t (a TEXT, b INTEGER) STRICT").has_value());
  const std::string text = "'); DROP TABLE t; --\0behind";
  ASSERT_TRUE(database->query("INSERT INTO t VALUES (?, ?)", {text, std::int64_t{-7}}).has_value());
  ASSERT_TRUE(database->query("INSERT INTO t VALUES (?, ?)", {Cell(), Cell()}).has_value());
  const auto rows = database->query("SELECT a, b FROM t ORDER BY b DESC");
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0), (Row{text, std::int64_t{-7}}));
  EXPECT_EQ(rows->at(1), (Row{Cell(), Cell()}));
}

TEST_F(DatabaseTest, DoesAllOfATransactionOrNothing) {
  const auto database = open();
  ASSERT_TRUE(database->run("CREATE TABLE t (a INTEGER NOT NULL) STRICT").has_value());
  const auto count = [&] { return number(*database, "SELECT count(*) FROM t"); };
  // What its work says is wrong, a statement that fails, and one that is in order.
  const auto refused = database->in_transaction([&]() -> Result<void> {
    EXPECT_TRUE(database->run("INSERT INTO t VALUES (1)").has_value());
    return fail(ErrorCode::overloaded, Fault::client);
  });
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::overloaded);
  EXPECT_EQ(count(), 0);
  EXPECT_FALSE(database
                   ->in_transaction([&] {
                     EXPECT_TRUE(database->run("INSERT INTO t VALUES (1)").has_value());
                     return database->run("INSERT INTO t VALUES (NULL)");
                   })
                   .has_value());
  EXPECT_EQ(count(), 0);
  EXPECT_TRUE(database->in_transaction([&] { return database->run("INSERT INTO t VALUES (1)"); })
                  .has_value());
  EXPECT_EQ(count(), 1);
}

TEST_F(DatabaseTest, GrowsToItsBoundAndGoesOn) {
  const auto database = open();
  ASSERT_TRUE(
      database->run("PRAGMA max_page_count = 20; CREATE TABLE t (a TEXT) STRICT").has_value());
  Result<std::vector<Row>> inserted;
  int rows = 0;
  while (inserted.has_value() && rows < 1000) {
    inserted = database->query("INSERT INTO t VALUES (?)", {std::string(1000, 'x')});
    if (inserted.has_value()) ++rows;
  }
  ASSERT_FALSE(inserted.has_value());
  EXPECT_EQ(inserted.error().code, ErrorCode::overloaded);
  EXPECT_TRUE(inserted.error().detail.contains("its disk is full")) << inserted.error().detail;
  EXPECT_GT(rows, 10);
  EXPECT_EQ(number(*database, "SELECT count(*) FROM t"), rows);
  EXPECT_TRUE(database->run("DELETE FROM t").has_value());
  EXPECT_TRUE(database->query("INSERT INTO t VALUES (?)", {std::string(1000, 'x')}).has_value());
  EXPECT_EQ(database->failures(), 1U);
}

// The first transaction was killed: the first page is written, and its journal takes it back.
TEST_F(DatabaseTest, OneWhoseFirstTransactionWasKilledIsMadeAnew) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, "PRAGMA application_id = 1112824403", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(handle);
  fs::permissions(path_, fs::perms(0600));
  ASSERT_EQ(fs::file_size(path_), 4096U);
  // No page, a nonce, no page before, sectors of 512 bytes, pages of 4,096.
  std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  journal += std::string("\0\0\0\0\1\2\3\4\0\0\0\0\0\0\2\0\0\0\x10\0", 20);
  journal.resize(512);
  std::ofstream(path_ + "-journal", std::ios::binary) << journal;
  fs::permissions(path_ + "-journal", fs::perms(0600));
  for (int start = 1; start <= 2; ++start) {
    SCOPED_TRACE(start);
    const auto database = open_ready();
    EXPECT_EQ(number(*database, "PRAGMA application_id"), kStateApplication);
  }
}

TEST_F(DatabaseTest, RefusesAFileThatIsDamaged) {
  open_ready().reset();
  const auto size = fs::file_size(path_);
  ASSERT_GE(size, 3 * 4096U);
  // The second page is a table's; what it begins with says how it is read.
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);
  file << std::string(64, '\xff');
  file.close();
  const std::string before = content(path_);
  const auto opened = open_database(path_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(content(path_) == before) << "nothing is changed";
  EXPECT_EQ(opened.error().code, ErrorCode::io_failed);
  EXPECT_TRUE(opened.error().detail.contains("is damaged")) << opened.error().detail;
  EXPECT_TRUE(opened.error().detail.contains("put a sound one in its place"));
}

// What was committed beside it is neither copied into it nor taken away.
TEST_F(DatabaseTest, LeavesAFileThatItRefusesAsItIs) {
  const struct {
    const char* name;
    Sql change;
    bool is_damaged;
    bool is_refused;
  } rows[] = {{"damaged", "UPDATE record_heads SET noted_at = 8", true, true},
              {"of a later version", "PRAGMA user_version = 999", false, true},
              {"sound", "UPDATE record_heads SET noted_at = 8", false, false}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    fs::remove(path_);
    fs::remove(path_ + "-wal");
    open_ready().reset();
    run_and_kill([&](const std::function<void()>& here) {
      auto database = std::move(*open_database(path_));
      static_cast<void>(
          database->run("INSERT INTO record_heads VALUES ('/a', 1, "
                        "'0000000000000000000000000000000000000000000000000000000000000000', 7)"));
      if (database->run(row.change).has_value()) here();
    });
    if (row.is_damaged) {
      // Of a table that what stands beside it does not replace.
      std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(4096);
      file << std::string(64, '\xff');
    }
    const std::string before = content(path_);
    const std::string beside = content(path_ + "-wal");
    ASSERT_FALSE(beside.empty());
    EXPECT_EQ(Store::open(path_).has_value(), !row.is_refused);
    EXPECT_EQ(content(path_) == before, row.is_refused);
    EXPECT_EQ(fs::exists(path_ + "-wal"), row.is_refused);
    if (row.is_refused) EXPECT_TRUE(content(path_ + "-wal") == beside);
  }
}

// --- Migrations ---------------------------------------------------------------------------------

TEST_F(DatabaseTest, EachMigrationSaysWhichFormItLeadsTo) {
  const auto database = open();
  const auto steps = migrations();
  for (std::size_t i = 0; i <= steps.size(); ++i) {
    ASSERT_TRUE(migrate(*database, steps.subspan(0, i)).has_value());
    EXPECT_EQ(number(*database, "PRAGMA user_version"), static_cast<std::int64_t>(i));
  }
}

TEST_F(DatabaseTest, BringsEveryFormToTheLast) {
  const auto steps = migrations();
  for (std::size_t form = 0; form < steps.size(); ++form) {
    SCOPED_TRACE(form);
    fs::remove(path_);
    auto database = open();
    ASSERT_TRUE(migrate(*database, steps.subspan(0, form)).has_value());
    if (form > 0) {
      ASSERT_TRUE(database
                      ->run("INSERT INTO revocations (kind, subject, made_by, why, decision_id, "
                            "made_at) VALUES ('principal', 'ann', 'bob', 'left', 'd', 7)")
                      .has_value());
    }
    database.reset();
    database = open_ready();
    EXPECT_EQ(number(*database, "PRAGMA user_version"), static_cast<std::int64_t>(steps.size()));
    EXPECT_EQ(number(*database, "SELECT count(*) FROM revocations"), form > 0 ? 1 : 0);
    EXPECT_EQ(number(*database, "SELECT count(*) FROM record_heads"), 0);
  }
}

// Who lifts an old number must not lift what another form of the file gave it to.
TEST_F(DatabaseTest, KeepsNumbersOverAFormThatMakesTheTableAnew) {
  constexpr std::size_t kWithoutBlocks = 3;
  auto database = open();
  ASSERT_TRUE(migrate(*database, migrations().subspan(0, kWithoutBlocks)).has_value());
  constexpr Sql kInsert(
      "INSERT INTO revocations (kind, subject, made_by, why, decision_id, made_at)"
      " VALUES ('principal', 'ann', 'bob', 'left', 'd', 7)");
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(database->run(kInsert).has_value());
  ASSERT_TRUE(database->run("DELETE FROM revocations WHERE id > 1").has_value());
  database.reset();
  database = open_ready();
  EXPECT_EQ(number(*database, "SELECT max(id) FROM revocations"), 1);
  ASSERT_TRUE(database->run(kInsert).has_value());
  EXPECT_EQ(database->inserted(), 4);
  // The control: what the old form refused, the new one takes.
  EXPECT_TRUE(database
                  ->run("INSERT INTO revocations (kind, subject, made_by, why, decision_id, "
                        "made_at) VALUES ('block_tool', 'a/b', 'bob', 'left', 'd', 7)")
                  .has_value());
  EXPECT_FALSE(database
                   ->run("INSERT INTO revocations (kind, subject, made_by, why, decision_id, "
                         "made_at) VALUES ('token', 'a/b', 'bob', 'left', 'd', 7)")
                   .has_value());
}

TEST_F(DatabaseTest, OneThatFailsLeavesTheFormBefore) {
  static constexpr Migration kFirst{"CREATE TABLE a (x INTEGER) STRICT; PRAGMA user_version = 1;"};
  static constexpr Migration kBroken{
      "CREATE TABLE b (x INTEGER) STRICT; PRAGMA user_version = 2; CREATE TABLE a (x INTEGER);"};
  static constexpr std::array kSteps{kFirst, kBroken};
  const auto database = open();
  const auto migrated = migrate(*database, kSteps);
  ASSERT_FALSE(migrated.has_value());
  EXPECT_TRUE(migrated.error().detail.contains("table a already exists"))
      << migrated.error().detail;
  EXPECT_EQ(number(*database, "PRAGMA user_version"), 1);
  EXPECT_EQ(number(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'a'"), 1);
  EXPECT_EQ(number(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'b'"), 0);
}

TEST_F(DatabaseTest, OneThatIsKilledLeavesTheFormBefore) {
  open_ready().reset();
  run_and_kill([this](const std::function<void()>& here) {
    auto database = std::move(*open_database(path_));
    static_cast<void>(database->run(
        "BEGIN IMMEDIATE; CREATE TABLE later (x INTEGER) STRICT; PRAGMA user_version = 999;"));
    here();
  });
  const auto database = open();
  EXPECT_EQ(number(*database, "PRAGMA user_version"), std::ssize(migrations()));
  EXPECT_EQ(number(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'later'"), 0);
}

TEST_F(DatabaseTest, RefusesTheFormOfALaterVersion) {
  auto database = open_ready();
  ASSERT_TRUE(database->run("PRAGMA user_version = 999").has_value());
  const auto migrated = migrate(*database, migrations());
  ASSERT_FALSE(migrated.has_value());
  EXPECT_EQ(migrated.error().detail,
            "state file " + path_ +
                " was written by a later version of bartizan: it has form 999, and this one knows "
                "forms up to " +
                std::to_string(migrations().size()) + ": start that version, or name another file");
}

// --- What a kill leaves -------------------------------------------------------------------------

TEST_F(DatabaseTest, WhatWasCommittedOutlivesAKill) {
  open_ready().reset();
  run_and_kill([this](const std::function<void()>& here) {
    auto database = std::move(*open_database(path_));
    const auto noted = database->in_transaction([&] {
      return database->run(
          "INSERT INTO record_heads VALUES ('/a', 1, "
          "'0000000000000000000000000000000000000000000000000000000000000000', 7)");
    });
    if (noted.has_value()) here();
  });
  EXPECT_GT(fs::file_size(path_ + "-wal"), 0U) << "it was written ahead, and not copied yet";
  EXPECT_EQ(number(*open_ready(), "SELECT count(*) FROM record_heads"), 1);
}

TEST_F(DatabaseTest, OfATransactionThatWasKilledNothingIsLeft) {
  open_ready().reset();
  run_and_kill([this](const std::function<void()>& here) {
    auto database = std::move(*open_database(path_));
    // So little fits memory that most of it is written before the end.
    static_cast<void>(database->run("PRAGMA cache_size = 5; BEGIN IMMEDIATE"));
    for (int i = 0; i < 2000; ++i) {
      static_cast<void>(database->query(
          "INSERT INTO revocations (kind, subject, made_by, why, decision_id, made_at)"
          " VALUES ('principal', 'ann', 'bob', ?, 'd', 7)",
          {std::string(500, 'w')}));
    }
    here();
  });
  EXPECT_GT(fs::file_size(path_ + "-wal"), 500'000U) << "much of it was on its way";
  const auto database = open_ready();
  EXPECT_EQ(number(*database, "SELECT count(*) FROM revocations"), 0);
}

}  // namespace
}  // namespace bartizan
