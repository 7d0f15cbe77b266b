#include "gateway/store/migrations.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace bartizan {
namespace {

// Times are seconds since 1970 UTC. Sessions, keys and tokens are there by their SHA-256 alone. No
// number of a row is used twice, so that who lifts an old one never lifts another.
constexpr Migration kRevocations{
    "CREATE TABLE revocations ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  kind TEXT NOT NULL CHECK (kind IN ('principal', 'session', 'key', 'token')),"
    "  subject TEXT NOT NULL CHECK (length(subject) > 0),"
    "  made_by TEXT NOT NULL,"
    "  why TEXT NOT NULL,"
    "  decision_id TEXT NOT NULL,"
    "  made_at INTEGER NOT NULL,"
    "  ends_at INTEGER CHECK (ends_at > made_at),"
    "  CHECK (kind = 'principal'"
    "         OR (length(subject) = 64 AND subject NOT GLOB '*[^0-9a-f]*'))"
    ") STRICT;"
    "CREATE INDEX revocations_end ON revocations (ends_at) WHERE ends_at IS NOT NULL;"
    "PRAGMA user_version = 1;"};

constexpr Migration kRecordHeads{
    "CREATE TABLE record_heads ("
    "  file TEXT NOT NULL PRIMARY KEY CHECK (length(file) > 0),"
    "  sequence INTEGER NOT NULL CHECK (sequence > 0),"
    "  hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),"
    "  noted_at INTEGER NOT NULL"
    ") STRICT, WITHOUT ROWID;"
    "PRAGMA user_version = 2;"};

constexpr std::array kMigrations{kRevocations, kRecordHeads};

}  // namespace

std::span<const Migration> migrations() {
  return kMigrations;
}

Result<void> migrate(Database& database, std::span<const Migration> steps) {
  const Result<std::int64_t> form = database.number("PRAGMA user_version");
  if (!form.has_value()) return std::unexpected(form.error());
  const auto last = static_cast<std::int64_t>(steps.size());
  if (*form < 0 || *form > last) {
    return database.refused(fmt::format(
        "was written by a later version of bartizan: it has form {}, and this one knows "
        "forms up to {}: start that version, or name another file",
        *form, last));
  }
  for (const Migration& step : steps.subspan(static_cast<std::size_t>(*form))) {
    const Result<void> done = database.in_transaction([&] { return database.run(step.text); });
    if (!done.has_value()) return done;
  }
  return database.accept();
}

}  // namespace bartizan
