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

/// A statement of ours. Only a literal becomes one: what comes from elsewhere is bound to it.
class Sql {
 public:
  template <std::size_t kSize>
  consteval Sql(const char (&text)[kSize]) : text_(text) {}  // NOLINT(google-explicit-constructor)
  const char* text() const { return text_; }

 private:
  const char* text_;
};

/// One value of a row, or one that is bound to a statement: nothing (NULL), a number, or text.
using Cell = std::variant<std::monostate, std::int64_t, std::string>;
using Row = std::vector<Cell>;

/// The number or the text of a cell; 0 and empty where it holds something else.
std::int64_t number_of(const Cell& cell);
const std::string& text_of(const Cell& cell);

/// One connection of SQLite's to a state file, the only one that there is. What is committed is on
/// the disk when the commit returns.
///
/// Errors:  io_failed, fault gateway; the sentence begins with the path. `overloaded` where the
///          disk is full, or the file as large as it may become. Nothing was changed then.
/// Threads: one at a time; `failures` any.
/// Source:  SQLite, "Write-Ahead Logging", and PRAGMA synchronous; README.md of this room says why.
class Database {
 public:
  /// Opens what the file holds and looks at all of it. What is committed stays beside the file, in
  /// the write-ahead log, until `accept`: a file that is refused is left as it is.
  /// Errors: it is damaged, or another program uses it.
  /// Cost:   reads the whole file.
  static Result<std::unique_ptr<Database>> open(StateFile file);

  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Has the write-ahead log copied into the file, and removed, when this is closed. For a file
  /// whose form this version knows.
  Result<void> accept();
  /// Runs all statements of the text, which answer nothing.
  Result<void> run(Sql text);
  /// Runs one statement with these values in the places of its `?`, and answers its rows.
  Result<std::vector<Row>> query(Sql text, std::span<const Cell> values = {});
  Result<std::vector<Row>> query(Sql text, std::initializer_list<Cell> values) {
    return query(text, std::span(values.begin(), values.size()));
  }
  /// The number that one statement answers.
  Result<std::int64_t> number(Sql text);
  /// Runs `work` in one transaction: all that it does is committed, or, where it or the commit
  /// fails, nothing.
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
  /// The number of the row that was inserted last.
  std::int64_t inserted() const;
  /// Times that the disk, or what stands on it, failed.
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  /// What failed last, as a sentence; empty for nothing.
  const std::string& failure() const { return failure_; }
  /// Counts it as a failure that what the file should hold could not be had: `state file PATH WHY`.
  std::unexpected<Error> missed(std::string_view why);
  /// An error about this file: `state file PATH WHY`.
  std::unexpected<Error> refused(std::string_view why) const;

 private:
  Database(StateFile file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}
  Result<void> set_up();
  Result<void> check_whole();
  std::unexpected<Error> failed();
  void roll_back();

  StateFile file_;  ///< Closed behind the connection.
  sqlite3* handle_;
  std::string failure_;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace bartizan
