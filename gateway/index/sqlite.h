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

  /// Binds the values from the first `?` on. A text is copied.
  IndexStatement& bind(int place, std::int64_t value);
  IndexStatement& bind(int place, std::string_view value);
  IndexStatement& bind_null(int place);
  /// The next row: true where there is one. Errors: io_failed.
  Result<bool> step();
  /// Runs it to its end, and makes it ready for other values.
  Result<void> run();
  /// Makes it ready for other values.
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

/// An SQLite file that can be made anew from something else at any time: what a crash leaves of it
/// is worth nothing, and nobody waits for a disk.
///
/// Errors:  io_failed, with the path.
/// Threads: one at a time. Another process that writes is waited for, ten seconds at most.
class IndexDatabase {
 public:
  /// Opens or makes the file, mode 0600.
  static Result<IndexDatabase> open(const std::string& path);

  /// Runs all statements of the text.
  Result<void> run(const std::string& text);
  /// Prepares a statement. Input: text of ours; what comes from elsewhere is bound.
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
