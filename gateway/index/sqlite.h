#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace bartizan {

/// A prepared statement of an index.
///
/// Lifetime: ends before its database. Threads: one at a time.
class IndexStatement {
 public:
  IndexStatement() = default;

  /// Binds a value to the `?` with that number, from 1 on. A text is copied.
  IndexStatement& bind(int place, std::int64_t value);
  IndexStatement& bind(int place, std::string_view value);
  IndexStatement& bind_null(int place);
  /// Steps to the next row. Returns whether there is one. Errors: io_failed.
  Result<bool> step();
  /// Runs the statement to its end, and resets it.
  Result<void> run();
  /// Resets the statement, for other values.
  void reset();
  std::int64_t number(int column) const;
  /// Lifetime: until the next step. Empty for NULL.
  std::string_view text(int column) const;

 private:
  friend class IndexDatabase;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An SQLite file that can be rebuilt from other data at any time. It is not synced to disk, and is
/// worthless after a crash of the machine.
///
/// Errors:  io_failed, with the path.
/// Threads: one at a time. It waits for another process that writes, at most ten seconds.
class IndexDatabase {
 public:
  /// Opens or creates the file with mode 0600.
  static Result<IndexDatabase> open(const std::string& path);

  /// Runs all statements of the text.
  Result<void> run(const std::string& text);
  /// Prepares a statement. Input: constant text; other values are bound.
  Result<IndexStatement> prepare(const std::string& text);
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unexpected<Error> failed() const;

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace bartizan
