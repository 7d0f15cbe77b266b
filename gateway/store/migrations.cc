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

// The pending sign-ins of clients and users, and their grants. Codes, tokens and browser cookies
// are stored only as their SHA-256.
constexpr Migration kFrontDoors{
    "CREATE TABLE sign_ins ("
    "  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 64),"
    "  state TEXT UNIQUE CHECK (length(state) = 64),"
    "  browser TEXT NOT NULL CHECK (length(browser) = 64),"
    "  source TEXT NOT NULL,"
    "  request TEXT NOT NULL,"
    "  ends_at INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX sign_ins_source ON sign_ins (source);"
    "CREATE TABLE grants ("
    "  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 32),"
    "  door TEXT NOT NULL,"
    "  principal TEXT NOT NULL,"
    "  client TEXT NOT NULL,"
    "  resource TEXT NOT NULL,"
    "  scopes TEXT NOT NULL,"
    "  claims TEXT NOT NULL,"
    "  provider_token TEXT NOT NULL,"
    "  refresh TEXT NOT NULL,"
    "  refresh_key TEXT NOT NULL CHECK (length(refresh_key) = 64),"
    "  made_at INTEGER NOT NULL,"
    "  ends_at INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX grants_principal ON grants (principal);"
    "CREATE INDEX grants_end ON grants (ends_at);"
    "CREATE TABLE grant_codes ("
    "  digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 64),"
    "  grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    "  redirect TEXT NOT NULL,"
    "  challenge TEXT NOT NULL,"
    "  is_used INTEGER NOT NULL DEFAULT 0,"
    "  ends_at INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX grant_codes_grant ON grant_codes (grant_id);"
    "CREATE TABLE access_tokens ("
    "  digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 64),"
    "  grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    "  ends_at INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX access_tokens_grant ON access_tokens (grant_id);"
    "CREATE TABLE consents ("
    "  digest TEXT NOT NULL PRIMARY KEY CHECK (length(digest) = 64),"
    "  principal TEXT NOT NULL,"
    "  ends_at INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE registered_clients ("
    "  id TEXT NOT NULL PRIMARY KEY,"
    "  door TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  redirect_uris TEXT NOT NULL,"
    "  source TEXT NOT NULL,"
    "  made_at INTEGER NOT NULL,"
    "  used_at INTEGER"
    ") STRICT;"
    "PRAGMA user_version = 3;"};

// Blocks stand in the same table, so that one number names one thing that is lifted. SQLite cannot
// change a CHECK, so the table is made anew; its last number goes with it.
constexpr Migration kBlocks{
    "CREATE TABLE revocations_and_blocks ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  kind TEXT NOT NULL CHECK (kind IN ('principal', 'session', 'key', 'token',"
    "                                     'block_principal', 'block_server', 'block_tool')),"
    "  subject TEXT NOT NULL CHECK (length(subject) > 0),"
    "  made_by TEXT NOT NULL,"
    "  why TEXT NOT NULL,"
    "  decision_id TEXT NOT NULL,"
    "  made_at INTEGER NOT NULL,"
    "  ends_at INTEGER CHECK (ends_at > made_at),"
    "  CHECK (kind NOT IN ('session', 'key', 'token')"
    "         OR (length(subject) = 64 AND subject NOT GLOB '*[^0-9a-f]*'))"
    ") STRICT;"
    "INSERT INTO revocations_and_blocks SELECT id, kind, subject, made_by, why, decision_id,"
    "  made_at, ends_at FROM revocations;"
    "DELETE FROM sqlite_sequence WHERE name = 'revocations_and_blocks';"
    "INSERT INTO sqlite_sequence (name, seq)"
    "  SELECT 'revocations_and_blocks', seq FROM sqlite_sequence WHERE name = 'revocations';"
    "DROP TABLE revocations;"
    "ALTER TABLE revocations_and_blocks RENAME TO revocations;"
    "CREATE INDEX revocations_end ON revocations (ends_at) WHERE ends_at IS NOT NULL;"
    "PRAGMA user_version = 4;"};

// The details for approvers are stored until the decision. Afterwards only digests and names
// remain.
constexpr Migration kApprovals{
    "CREATE TABLE approvals ("
    "  number INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),"
    "  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'used', 'denied', 'expired',"
    "                                       'withdrawn')),"
    "  principal TEXT NOT NULL,"
    "  endpoint TEXT NOT NULL,"
    "  server TEXT NOT NULL,"
    "  method TEXT NOT NULL,"
    "  target TEXT NOT NULL,"
    "  rule TEXT NOT NULL,"
    "  policy TEXT NOT NULL,"
    "  session TEXT NOT NULL,"
    "  salt TEXT NOT NULL CHECK (length(salt) = 32),"
    "  digest TEXT NOT NULL CHECK (length(digest) = 64),"
    "  params TEXT NOT NULL CHECK (length(params) = 64),"
    "  fingerprint TEXT NOT NULL,"
    "  expires INTEGER NOT NULL,"
    "  shown TEXT NOT NULL,"
    "  needed INTEGER NOT NULL CHECK (needed > 0),"
    "  made_at INTEGER NOT NULL,"
    "  ends_at INTEGER NOT NULL,"
    "  valid_for INTEGER NOT NULL CHECK (valid_for > 0),"
    "  decided_at INTEGER NOT NULL,"
    "  CHECK (state = 'pending' OR shown = '')"
    ") STRICT;"
    "CREATE INDEX approvals_principal ON approvals (principal, server, target);"
    "CREATE INDEX approvals_end ON approvals (ends_at) WHERE state IN ('pending', 'approved');"
    "CREATE INDEX approvals_decided ON approvals (decided_at)"
    "  WHERE state NOT IN ('pending', 'approved');"
    "CREATE TABLE approval_answers ("
    "  request TEXT NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,"
    "  person TEXT NOT NULL,"
    "  approver TEXT NOT NULL,"
    "  roles TEXT NOT NULL,"
    "  proved TEXT NOT NULL,"
    "  approves INTEGER NOT NULL CHECK (approves IN (0, 1)),"
    "  why TEXT NOT NULL,"
    "  proof TEXT NOT NULL,"
    "  at INTEGER NOT NULL,"
    "  PRIMARY KEY (request, person)"
    ") STRICT;"
    "PRAGMA user_version = 5;"};

// A client's registration of a tool is stored as received, and parsed again at each start.
constexpr Migration kToolRegistrations{
    "CREATE TABLE tool_registrations ("
    "  number INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  server TEXT NOT NULL CHECK (length(server) > 0),"
    "  tool TEXT NOT NULL CHECK (length(tool) > 0),"
    "  text TEXT NOT NULL CHECK (length(text) > 0),"
    "  made_by TEXT NOT NULL,"
    "  decision_id TEXT NOT NULL,"
    "  made_at INTEGER NOT NULL,"
    "  approved_by TEXT NOT NULL"
    ") STRICT;"
    "PRAGMA user_version = 6;"};

constexpr std::array kMigrations{kRevocations, kRecordHeads, kFrontDoors,
                                 kBlocks,      kApprovals,   kToolRegistrations};

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
