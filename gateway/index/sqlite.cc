#include "gateway/index/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "gateway/process/descriptor.h"

namespace bartizan {
namespace {

constexpr int kBusyMs = 10'000;

std::unexpected<Error> failure(const std::string& what, sqlite3* database) {
  return fail(ErrorCode::io_failed, Fault::gateway,
              what + ": " + (database == nullptr ? "no memory" : sqlite3_errmsg(database)));
}

}  // namespace

void IndexStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void IndexDatabase::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

IndexStatement& IndexStatement::bind(int place, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), place, value);
  return *this;
}

IndexStatement& IndexStatement::bind(int place, std::string_view value) {
  sqlite3_bind_text(statement_.get(), place, value.data(), static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

IndexStatement& IndexStatement::bind_null(int place) {
  sqlite3_bind_null(statement_.get(), place);
  return *this;
}

Result<bool> IndexStatement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return failure("index", database_);
}

Result<void> IndexStatement::run() {
  Result<bool> stepped = step();
  while (stepped.has_value() && *stepped)
    stepped = step();
  reset();
  if (!stepped.has_value()) return std::unexpected(stepped.error());
  return {};
}

void IndexStatement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t IndexStatement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view IndexStatement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Result<IndexDatabase> IndexDatabase::open(const std::string& path) {
  // Created here, so that only its owner can open it from the beginning.
  const Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (made.get() < 0) {
    return fail(ErrorCode::io_failed, Fault::gateway,
                path + ": " + std::generic_category().message(errno));
  }
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, nullptr);
  IndexDatabase database;
  database.path_ = path;
  database.database_.reset(handle);
  if (status != SQLITE_OK) return database.failed();
  sqlite3_busy_timeout(handle, kBusyMs);
  sqlite3_extended_result_codes(handle, 1);
  const Result<void> set_up = database.run(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -65536; PRAGMA trusted_schema = OFF");
  if (!set_up.has_value()) return std::unexpected(set_up.error());
  return database;
}

Result<void> IndexDatabase::run(const std::string& text) {
  if (sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK)
    return {};
  return failed();
}

Result<IndexStatement> IndexDatabase::prepare(const std::string& text) {
  IndexStatement prepared;
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(database_.get(), text.c_str(), -1,
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  prepared.database_ = database_.get();
  prepared.statement_.reset(statement);
  if (status != SQLITE_OK) return failed();
  return prepared;
}

std::unexpected<Error> IndexDatabase::failed() const {
  return failure(path_, database_.get());
}

}  // namespace bartizan
