#include "gateway/store/remembered_heads.h"

#include <fmt/format.h>

#include "audit/digest.h"
#include "audit/find_hash.h"
#include "audit/find_removal.h"
#include "gateway/runtime/random.h"
#include "gateway/store/database.h"

namespace bartizan {
namespace {

Result<void> remember(Database& database, const std::string& file, const AuditHead& head,
                      std::chrono::sys_seconds now) {
  const auto kept = database.query(
      "INSERT INTO record_heads (file, sequence, hash, noted_at) VALUES (?, ?, ?, ?)"
      " ON CONFLICT (file) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,"
      " noted_at = excluded.noted_at",
      {file, static_cast<std::int64_t>(head.sequence), KeyedDigest::hex(head.hash),
       std::int64_t{now.time_since_epoch().count()}});
  if (!kept.has_value()) return std::unexpected(kept.error());
  // Its own always stays, also where the clock was set back.
  const auto forgotten = database.query(
      "DELETE FROM record_heads WHERE file <> ? AND file NOT IN"
      " (SELECT file FROM record_heads ORDER BY noted_at DESC LIMIT ?)",
      {file, static_cast<std::int64_t>(limits::remembered_records_max)});
  if (!forgotten.has_value()) return std::unexpected(forgotten.error());
  return {};
}

RecordAgreement judge_failure(const std::string& file, const Error& error,
                              const AuditHead& remembered) {
  using Kind = RecordAgreement::Kind;
  const std::string start = fmt::format("record {}: {}", remembered.sequence, error.detail);
  if (error.code != ErrorCode::not_found) return {.kind = Kind::unreadable, .found = start};
  // Still a mismatch: an attacker who can remove files can also append such a record.
  const std::optional<std::uint64_t> removal = find_removal(file, remembered.sequence);
  if (!removal.has_value()) return {.kind = Kind::not_there, .found = start};
  return {.kind = Kind::not_there,
          .found = fmt::format("{}, as retention removed files, says record {}", start, *removal)};
}

/// The record may begin a new file between the moment in which a file is found and the one in which
/// it is opened: what fails is asked once more.
Result<Hash> find_hash_again(const std::string& file, std::uint64_t sequence) {
  Result<Hash> found = find_hash(file, sequence);
  return found.has_value() ? found : find_hash(file, sequence);
}

}  // namespace

Result<std::optional<AuditHead>> RememberedHeads::find(const std::string& file) {
  using Found = std::optional<AuditHead>;
  return store_.ask_now<Found>([file](Database& database) -> Result<Found> {
    const auto rows =
        database.query("SELECT sequence, hash FROM record_heads WHERE file = ?", {file});
    if (!rows.has_value()) return std::unexpected(rows.error());
    if (rows->empty()) return Found();
    const Row& row = rows->front();
    const std::optional<Hash> hash = parse_hex(text_of(row[1]));
    if (!hash.has_value()) return database.refused("is damaged: it has no hash of the record");
    return AuditHead{.sequence = static_cast<std::uint64_t>(number_of(row[0])), .hash = *hash};
  });
}

Result<void> RememberedHeads::note(const std::string& file, const AuditHead& head,
                                   std::chrono::sys_seconds now,
                                   std::move_only_function<void()> kept) {
  if (head.sequence == 0 || file.size() > limits::path_bytes_max) return {};
  return store_.tell([file, head, now, kept = std::move(kept)](Database& database) mutable {
    const Result<void> done =
        database.in_transaction([&] { return remember(database, file, head, now); });
    if (done.has_value() && kept) kept();
    return done;
  });
}

Result<void> RememberedHeads::miss(const Error& error) {
  return store_.tell([why = error.detail](Database& database) -> Result<void> {
    return database.missed(fmt::format("is behind the record: {}", why));
  });
}

RecordAgreement compare_record(const std::string& file, const AuditHead& present,
                               const AuditHead& remembered) {
  using Kind = RecordAgreement::Kind;
  if (present == remembered) return {};
  if (present.sequence == 0) return {.kind = Kind::missing, .found = "it has no records"};
  if (present.sequence < remembered.sequence) {
    return {.kind = Kind::cut, .found = "it ends with record " + present.text()};
  }
  if (present.sequence == remembered.sequence) {
    return {.kind = Kind::changed, .found = "its position has record " + present.text()};
  }
  const Result<Hash> found = find_hash_again(file, remembered.sequence);
  if (!found.has_value()) return judge_failure(file, found.error(), remembered);
  if (*found == remembered.hash) return {.kind = Kind::longer};
  const AuditHead other{.sequence = remembered.sequence, .hash = *found};
  return {.kind = Kind::changed, .found = "its position has record " + other.text()};
}

}  // namespace bartizan
