#include "gateway/store/database.h"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <sqlite3.h>

#include "schemas/base/limits.h"

namespace bartizan {
namespace {

/// The wait for another program that only reads, such as a backup.
constexpr int kBusyMs = 2000;
/// No text of ours is longer.
constexpr int kTextMax = 64 << 10;

/// Runs at its end what SQLite wants done with a statement.
class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  int bind(int place, const Cell& cell) const {
    if (const auto* number = std::get_if<std::int64_t>(&cell)) {
      return sqlite3_bind_int64(statement_, place, *number);
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
      // It lives as long as the statement: no copy is made.
      return sqlite3_bind_text64(statement_, place, text->data(), text->size(), nullptr,
                                 SQLITE_UTF8);
    }
    return sqlite3_bind_null(statement_, place);
  }
  int step() const { return sqlite3_step(statement_); }
  int places() const { return sqlite3_bind_parameter_count(statement_); }
  Row row() const {
    Row row;
    const int columns = sqlite3_column_count(statement_);
    row.reserve(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i)
      row.push_back(cell(i));
    return row;
  }

 private:
  Cell cell(int column) const {
    switch (sqlite3_column_type(statement_, column)) {
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(statement_, column)};
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
        return std::string(text,
                           static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
      }
      default:
        return std::monostate();
    }
  }

  sqlite3_stmt* statement_;
};

/// The fault, for operators.
std::string sentence(int code, const char* said) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return "is not a SQLite database, and nothing is written to it: name another file";
    case SQLITE_CORRUPT:
      return fmt::format(
          "is damaged: {}: keep a copy of it and of what stands beside it, and put a "
          "sound one in its place",
          said);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "is used by another program: end that first";
    case SQLITE_FULL:
      return "cannot be written: its disk is full, or it is as large as it may become";
    default:
      return fmt::format("cannot be used: {}", said);
  }
}

}  // namespace

std::int64_t number_of(const Cell& cell) {
  const auto* number = std::get_if<std::int64_t>(&cell);
  return number == nullptr ? 0 : *number;
}

const std::string& text_of(const Cell& cell) {
  static const std::string kNone;
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? kNone : *text;
}

std::unexpected<Error> Database::refused(std::string_view why) const {
  return fail(ErrorCode::io_failed, Fault::gateway,
              fmt::format("state file {} {}", file_.path(), why));
}

std::unexpected<Error> Database::missed(std::string_view why) {
  failures_.fetch_add(1, std::memory_order_relaxed);
  auto error = refused(why);
  failure_ = error.error().detail;
  return error;
}

/// To be called at once after what failed.
std::unexpected<Error> Database::failed() {
  const int code = sqlite3_errcode(handle_);
  failures_.fetch_add(1, std::memory_order_relaxed);
  auto error = refused(sentence(code, sqlite3_errmsg(handle_)));
  failure_ = error.error().detail;
  if ((code & 0xff) == SQLITE_FULL) error.error().code = ErrorCode::overloaded;
  return error;
}

Result<std::unique_ptr<Database>> Database::open(StateFile file) {
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW |
                         SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(file.path().c_str(), &handle, kFlags, nullptr);
  // It is there also where opening failed, to be asked why and to be closed.
  std::unique_ptr<Database> database(new Database(std::move(file), handle));
  if (opened != SQLITE_OK) return database->failed();
  if (!database->file_.is_in_place()) return database->refused("was replaced while it was opened");
  Result<void> ready = database->set_up();
  if (ready.has_value()) ready = database->check_whole();
  if (!ready.has_value()) return std::unexpected(ready.error());
  return database;
}

Database::~Database() {
  sqlite3_close(handle_);
}

/// Contents from other programs have no effect: the file can define no function, trigger or view
/// that runs, and the sizes of cells are checked.
Result<void> Database::set_up() {
  static constexpr std::array<std::pair<int, int>, 8> kSettings{
      {{SQLITE_DBCONFIG_DEFENSIVE, 1},
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
       {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
       {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
       {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
       {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
       {SQLITE_DBCONFIG_DQS_DDL, 0},
       {SQLITE_DBCONFIG_DQS_DML, 0}}};
  for (const auto& [setting, value] : kSettings) {
    if (sqlite3_db_config(handle_, setting, value, nullptr) != SQLITE_OK) return failed();
  }
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kTextMax);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_busy_timeout(handle_, kBusyMs);
  // Before anything is read, so that what is shared in memory needs no file beside this one.
  Result<void> step =
      run("PRAGMA locking_mode = EXCLUSIVE;"
          "PRAGMA trusted_schema = OFF;"
          "PRAGMA cell_size_check = ON;"
          "PRAGMA foreign_keys = ON;"
          "PRAGMA mmap_size = 0;"
          "PRAGMA temp_store = MEMORY;");
  if (!step.has_value()) return step;
  // First of all that is written, so that no file of ours is ever without it. The size of the file
  // says nothing of it: of a file whose first transaction was killed SQLite makes an empty one.
  const Result<std::int64_t> pages = number("PRAGMA page_count");
  if (!pages.has_value()) return std::unexpected(pages.error());
  static_assert(kStateApplication == 1112824403);
  if (*pages == 0) step = run("PRAGMA application_id = 1112824403");
  if (!step.has_value()) return step;
  const auto mode = query("PRAGMA journal_mode = WAL");
  if (!mode.has_value()) return std::unexpected(mode.error());
  if (mode->empty() || text_of(mode->front().front()) != "wal") {
    return refused("cannot be used: its file system does not let changes be written ahead");
  }
  static_assert(limits::state_pages_max == 65'536);
  return run(
      "PRAGMA synchronous = FULL;"
      "PRAGMA wal_autocheckpoint = 256;"
      "PRAGMA journal_size_limit = 1048576;"
      "PRAGMA max_page_count = 65536;");
}

Result<void> Database::check_whole() {
  const auto found = query("PRAGMA integrity_check(1)");
  if (!found.has_value()) return std::unexpected(found.error());
  const std::string said = found->empty() ? "no answer" : text_of(found->front().front());
  if (said == "ok") return {};
  return refused(sentence(SQLITE_CORRUPT, said.c_str()));
}

Result<void> Database::accept() {
  if (sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr) != SQLITE_OK) {
    return failed();
  }
  return {};
}

Result<void> Database::run(Sql text) {
  if (sqlite3_exec(handle_, text.text(), nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
  return {};
}

Result<std::vector<Row>> Database::query(Sql text, std::span<const Cell> values) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(handle_, text.text(), -1, &prepared, nullptr) != SQLITE_OK) {
    return failed();
  }
  const Statement statement(prepared);
  int place = 0;
  for (const Cell& value : values) {
    if (statement.bind(++place, value) != SQLITE_OK) return failed();
  }
  std::vector<Row> rows;
  while (true) {
    const int step = statement.step();
    if (step == SQLITE_DONE) return rows;
    if (step != SQLITE_ROW) return failed();
    rows.push_back(statement.row());
  }
}

Result<std::int64_t> Database::number(Sql text) {
  const auto rows = query(text);
  if (!rows.has_value()) return std::unexpected(rows.error());
  return rows->empty() || rows->front().empty() ? 0 : number_of(rows->front().front());
}

std::int64_t Database::inserted() const {
  return sqlite3_last_insert_rowid(handle_);
}

/// Some failures have done so already.
void Database::roll_back() {
  if (sqlite3_get_autocommit(handle_) != 0) return;
  [[maybe_unused]] const Result<void> undone = run("ROLLBACK");
}

}  // namespace bartizan
