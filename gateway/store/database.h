#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/store/state_file.h"
#include "schemas/base/result.h"

struct sqlite3;

namespace bartizan {

/// An SQL statement. It can only be made from a literal. Other values are bound to it.
class Sql {
 public:
  template <std::size_t kSize>
  consteval Sql(const char (&text)[kSize]) : text_(text) {}  // NOLINT(google-explicit-constructor)
  const char* text() const { return text_; }

 private:
  const char* text_;
};

/// One value of a row, or a bound value: nothing (NULL), a number, or text.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using Row = std::vector<Cell>;

/// The number or the text of a cell; 0 or empty for other contents.
std::int64_t number_of(const Cell& cell);
const std::string& text_of(const Cell& cell);

/// The only connection of SQLite to a state file. A commit is on the disk when it returns.
///
/// Errors:  io_failed, fault gateway; the sentence begins with the path. `overloaded` if the disk
///          is full, or the file has its maximum size. Nothing was changed then.
/// Threads: one at a time; `failures` any.
/// Source:  SQLite, "Write-Ahead Logging", and PRAGMA synchronous; README.md of this room explains
///          why.
class Database {
 public:
  /// Opens the file and checks all of it. Until `accept`, commits stay in the write-ahead log
  /// beside the file, so that a refused file is not changed.
  /// Errors: it is damaged, or another program uses it.
  /// Cost:   reads the whole file.
  static Result<std::unique_ptr<Database>> open(StateFile file);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Makes the closing copy the write-ahead log into the file, and remove it. For a file with a
  /// form that this version knows.
  Result<void> accept();
  /// Runs all statements of the text. They return no rows.
  Result<void> run(Sql text);
  /// Runs one statement with these values in place of its `?`. Returns its rows.
  Result<std::vector<Row>> query(Sql text, std::span<const Cell> values = {});
  Result<std::vector<Row>> query(Sql text, std::initializer_list<Cell> values) {
    return query(text, std::span(values.begin(), values.size()));
  }
  /// The number that one statement returns.
  Result<std::int64_t> number(Sql text);
  /// Runs `work` in one transaction. If `work` or the commit fails, nothing is changed.
  template <class Work>
  auto in_transaction(Work work) -> decltype(work()) {
    Result<void> step = run("BEGIN IMMEDIATE");
    if (!step.has_value()) return std::unexpected(step.error());
    auto result = work();
    if (result.has_value()) {
      step = run("COMMIT");
      if (step.has_value()) return result;
      result = std::unexpected(step.error());
    }
    roll_back();
    return result;
  }
  /// The number of the last inserted row.
  std::int64_t inserted() const;
  /// How often the disk or the file failed.
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  /// The last failure, as a sentence; empty for none.
  const std::string& failure() const { return failure_; }
  /// Counts a failure: data that the file should have is missing. The error is `state file PATH
  /// WHY`.
  std::unexpected<Error> missed(std::string_view why);
  /// An error about this file: `state file PATH WHY`.
  std::unexpected<Error> refused(std::string_view why) const;

 private:
  Database(StateFile file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  Result<void> set_up();
  Result<void> check_whole();
  std::unexpected<Error> failed();
  void roll_back();

  StateFile file_;  ///< Closed after the connection.
  sqlite3* handle_;
  std::string failure_;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace bartizan
