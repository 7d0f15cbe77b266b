#include "gateway/index/index_writer.h"

#include <chrono>
#include <utility>

#include "audit/record_class.h"

namespace bartizan {
namespace {

constexpr std::size_t kTextsMax = 65'536;

std::int64_t micros_of(const Record& record) {
  return std::chrono::duration_cast<std::chrono::microseconds>(record.time.time_since_epoch())
      .count();
}

/// The verdict of a record; 0 if it has no decision.
std::int64_t verdict_of(const Record& record) {
  if (is_withheld(record)) return kWithheld;
  if (record.decision == "permit") return kPermitted;
  return record.decision == "deny" || record.kind == RecordKind::refusal ? kDenied : 0;
}

}  // namespace

const char* const kIndexTables =
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);"
    "INSERT INTO text VALUES (0, '');"
    "CREATE TABLE record (seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " verdict INTEGER NOT NULL, class INTEGER NOT NULL, principal INTEGER NOT NULL,"
    " server INTEGER NOT NULL, target INTEGER NOT NULL, reason INTEGER NOT NULL,"
    " rule INTEGER NOT NULL, method INTEGER NOT NULL, outcome INTEGER NOT NULL,"
    " duration INTEGER NOT NULL, redacted INTEGER NOT NULL, count INTEGER NOT NULL,"
    " arguments TEXT, offset INTEGER NOT NULL, size INTEGER NOT NULL);"
    "CREATE TABLE finding (seq INTEGER NOT NULL, what INTEGER NOT NULL, count INTEGER NOT NULL);"
    "CREATE VIRTUAL TABLE words USING fts5 (body, content='', detail='none', columnsize=0);";

const char* const kIndexIndexes =
    "CREATE INDEX IF NOT EXISTS record_time ON record (time);"
    "CREATE INDEX IF NOT EXISTS record_principal ON record (principal, seq);"
    "CREATE INDEX IF NOT EXISTS record_target ON record (target, seq);"
    "CREATE INDEX IF NOT EXISTS record_reason ON record (reason, seq) WHERE reason <> 0;"
    "CREATE INDEX IF NOT EXISTS record_rule ON record (rule, seq) WHERE rule <> 0;"
    "CREATE INDEX IF NOT EXISTS record_arguments ON record (arguments) WHERE arguments IS NOT NULL;"
    "CREATE INDEX IF NOT EXISTS finding_seq ON finding (seq);";

Result<IndexWriter> IndexWriter::open(IndexDatabase& database) {
  IndexWriter writer;
  const std::pair<IndexStatement*, const char*> statements[] = {
      {&writer.insert_record_,
       "INSERT OR REPLACE INTO record VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
      {&writer.insert_words_, "INSERT INTO words (rowid, body) VALUES (?, ?)"},
      {&writer.insert_finding_, "INSERT INTO finding VALUES (?, ?, ?)"},
      {&writer.insert_text_, "INSERT INTO text (value) VALUES (?) RETURNING id"},
      {&writer.find_text_, "SELECT id FROM text WHERE value = ?"},
  };
  for (const auto& [statement, text] : statements) {
    auto prepared = database.prepare(text);
    if (!prepared.has_value()) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return writer;
}

Result<std::int64_t> IndexWriter::number_of(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
  for (IndexStatement* statement : {&find_text_, &insert_text_}) {
    const Result<bool> found = statement->bind(1, text).step();
    const std::int64_t number = found.value_or(false) ? statement->number(0) : 0;
    statement->reset();
    if (!found.has_value()) return std::unexpected(found.error());
    if (number == 0) continue;
    if (numbers_.size() >= kTextsMax) numbers_.clear();
    numbers_.emplace(text, number);
    return number;
  }
  return fail(ErrorCode::io_failed, Fault::gateway, "index: a text has no number");
}

/// `github.token mask 2`: the detector, the action, the count.
Result<void> IndexWriter::add_findings(std::uint64_t sequence, const Record& record) {
  for (const std::string_view finding : record.redacted) {
    const std::size_t blank = finding.rfind(' ');
    if (blank == finding.npos) continue;
    const std::string count(finding.substr(blank + 1));
    const Result<std::int64_t> what = number_of(finding.substr(0, blank));
    if (!what.has_value()) return std::unexpected(what.error());
    const Result<void> added = insert_finding_.bind(1, static_cast<std::int64_t>(sequence))
                                   .bind(2, *what)
                                   .bind(3, std::strtoll(count.c_str(), nullptr, 10))
                                   .run();
    if (!added.has_value()) return added;
  }
  return {};
}

Result<void> IndexWriter::add(const FollowedRecord& place, const Record& record) {
  std::int64_t numbers[6] = {};
  const std::string_view texts[6] = {record.principal, record.server, record.target,
                                     record.reason,    record.rule,   record.method};
  for (std::size_t i = 0; i < std::size(texts); ++i) {
    const Result<std::int64_t> number = number_of(texts[i]);
    if (!number.has_value()) return std::unexpected(number.error());
    numbers[i] = *number;
  }
  const auto sequence = static_cast<std::int64_t>(place.sequence);
  insert_record_.bind(1, sequence)
      .bind(2, micros_of(record))
      .bind(3, static_cast<std::int64_t>(record.kind))
      .bind(4, verdict_of(record))
      .bind(5, static_cast<std::int64_t>(class_of(record)));
  for (int i = 0; i < 6; ++i)
    insert_record_.bind(6 + i, numbers[i]);
  insert_record_.bind(12, static_cast<std::int64_t>(record.outcome))
      .bind(13, static_cast<std::int64_t>(record.duration_us))
      .bind(14, record.redacted.empty() ? std::int64_t{0} : std::int64_t{1})
      .bind(15, static_cast<std::int64_t>(record.count));
  if (record.argument_digest.empty()) {
    insert_record_.bind_null(16);
  } else {
    insert_record_.bind(16, record.argument_digest);
  }
  insert_record_.bind(17, static_cast<std::int64_t>(place.offset))
      .bind(18, static_cast<std::int64_t>(place.line.size()));
  Result<void> added = insert_record_.run();
  if (!added.has_value()) return added;
  words_.clear();
  for (const std::string_view text :
       {record.principal, record.client_name, record.server, record.target, record.reason,
        record.rule, record.detail, record.source, record.correlation_id}) {
    if (text.empty()) continue;
    words_ += text;
    words_ += ' ';
  }
  for (const std::string_view argument : record.arguments) {
    words_ += argument;
    words_ += ' ';
  }
  added = insert_words_.bind(1, sequence).bind(2, words_).run();
  if (!added.has_value() || record.redacted.empty()) return added;
  return add_findings(place.sequence, record);
}

}  // namespace bartizan
