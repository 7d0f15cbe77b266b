#include "gateway/index/record_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "audit/audit_file.h"
#include "audit/chain.h"
#include "audit/chain_files.h"
#include "audit/decode_record.h"
#include "audit/file_ends.h"
#include "audit/verify.h"
#include "gateway/index/changed_files.h"
#include "gateway/process/descriptor.h"
#include "schemas/json/json_text.h"

namespace bartizan {
namespace {

/// Of the tables; an index of another version is rebuilt.
constexpr std::string_view kVersionOfTables = "1";
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
/// `BZIX`, in the file header. Source: SQLite, "Database File Format", 1.3.17.
constexpr std::uint32_t kApplication = 0x425a4958;
constexpr std::uint64_t kApplicationAt = 68;
/// Records per transaction.
constexpr std::uint64_t kCommitEvery = 50'000;

std::unexpected<Error> outdated(std::string_view why) {
  return fail(ErrorCode::not_recordable, Fault::gateway,
              std::string(why) + ": run bartizan audit verify, and remove the index");
}

/// Reads lines of the files of a chain by their position.
class LineReader {
 public:
  explicit LineReader(std::vector<ChainFile> files) : files_(std::move(files)) {}

  Result<std::string> read(std::uint64_t sequence, std::uint64_t offset, std::uint64_t size) {
    const auto file = std::ranges::find_if(files_, [sequence](const ChainFile& one) {
      return one.before.sequence < sequence && sequence <= one.last.sequence;
    });
    if (file == files_.end()) return outdated("record " + std::to_string(sequence) + " is gone");
    const auto [open, is_new] = open_.try_emplace(file->path);
    if (is_new) open->second = Descriptor(::open(file->path.c_str(), O_RDONLY | O_CLOEXEC));
    if (open->second.get() < 0) return file_failed(file->path + ": cannot be opened");
    auto line = read_range(open->second.get(), offset, size);
    if (!line.has_value()) return outdated(file->path + ": is shorter than it was");
    const auto parts = split_chain_line(*line);
    const bool is_it =
        parts.has_value() && parts->sequence == sequence && is_self_consistent(digester_, *parts);
    if (!is_it)
      return outdated("record " + std::to_string(sequence) + " is another one than it was");
    return line;
  }

 private:
  std::vector<ChainFile> files_;
  std::map<std::string, Descriptor, std::less<>> open_;
  Digester digester_;
};

/// The conditions of a query, and their bound values.
struct QueryConditions {
  std::string text = "1";
  std::vector<std::variant<std::int64_t, std::string>> values = {};

  void add(std::string_view condition, std::variant<std::int64_t, std::string> value) {
    text += " AND ";
    text += condition;
    values.push_back(std::move(value));
  }
  void add_text(std::string_view column, const std::string& value) {
    if (value.empty()) return;
    add(std::string(column) + " = (SELECT id FROM text WHERE value = ?)", value);
  }
  void bind_to(IndexStatement& statement) const {
    int place = 0;
    for (const auto& value : values) {
      ++place;
      std::visit([&](const auto& one) { statement.bind(place, one); }, value);
    }
  }
};

void add_span(QueryConditions& conditions, const TimeSpan& span) {
  const TimeSpan all;
  if (span.since != all.since) conditions.add("time >= ?", span.since);
  if (span.until != all.until) conditions.add("time < ?", span.until);
}

/// The words in the syntax of FTS5: each quoted, and a prefix.
std::string match_of(const std::vector<std::string>& words) {
  std::string match;
  for (const std::string& word : words) {
    std::string letters;
    // A quoted text with other characters is a phrase, which the index does not support.
    for (const char letter : word) {
      const bool is_word = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                           (letter >= 'A' && letter <= 'Z') || (letter & 0x80) != 0;
      if (is_word) {
        letters += letter;
        continue;
      }
      if (!letters.empty()) match += '"' + letters + "\"* ";
      letters.clear();
    }
    if (!letters.empty()) match += '"' + letters + "\"* ";
  }
  return match;
}

/// Lower case of ASCII; other letters stay unchanged.
std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

std::optional<std::int64_t> kind_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kRecordKindLast); ++i) {
    if (text(static_cast<RecordKind>(i)) == name) return i;
  }
  return std::nullopt;
}

QueryConditions conditions_of(const RecordQuery& query) {
  QueryConditions conditions;
  add_span(conditions, query.span);
  conditions.add_text("principal", query.principal);
  conditions.add_text("server", query.server);
  conditions.add_text("target", query.target);
  conditions.add_text("rule", query.rule);
  conditions.add_text("reason", query.reason);
  if (query.decision == "permit") conditions.add("verdict = ?", kPermitted);
  if (query.decision == "deny") conditions.add("verdict >= ?", kDenied);
  if (query.redacted) conditions.add("redacted = ?", std::int64_t{1});
  if (!query.kind.empty()) conditions.add("kind = ?", kind_of(query.kind).value_or(-1));
  if (const std::string match = match_of(query.words); !match.empty()) {
    conditions.add("seq IN (SELECT rowid FROM words WHERE words MATCH ?)", match);
  }
  if (!query.arguments.empty()) {
    conditions.text += " AND arguments IN (";
    for (const std::string& digest : query.arguments) {
      if (!conditions.text.ends_with('(')) conditions.text += ',';
      conditions.text += '?';
      conditions.values.emplace_back(digest);
    }
    conditions.text += ')';
  }
  return conditions;
}

/// Whether a file may be created or rebuilt: it is missing, is empty, or has the id of an index.
Result<bool> is_index(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return true;
    return file_failed(path + ": cannot be opened");
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return file_failed(path + ": cannot be examined");
  if (!S_ISREG(status.st_mode)) return false;
  if (status.st_size == 0) return true;
  const auto id = read_range(file.get(), kApplicationAt, sizeof(kApplication));
  if (!id.has_value()) return false;
  std::uint32_t number = 0;
  for (const char byte : *id)
    number = number << 8 | static_cast<unsigned char>(byte);
  return number == kApplication;
}

}  // namespace

bool is_record_kind(std::string_view name) {
  return kind_of(name).has_value();
}

Result<std::unique_ptr<RecordIndex>> RecordIndex::open(const std::string& record,
                                                       const std::string& path) {
  const std::string file = path.empty() ? record + ".index" : path;
  const Result<std::string> chain = find_chain_name(record);
  if (!chain.has_value()) return std::unexpected(chain.error());
  // Any file that is not an index stays.
  const Result<bool> is_ours = is_index(file);
  if (!is_ours.has_value()) return std::unexpected(is_ours.error());
  if (!*is_ours) {
    return fail(ErrorCode::io_failed, Fault::gateway,
                file + ": is there, and no index; name another file, or remove it");
  }
  // On the second attempt, an unusable file has been deleted.
  for (int attempt = 0;; ++attempt) {
    Result<void> ready;
    auto database = IndexDatabase::open(file);
    if (database.has_value()) {
      std::unique_ptr<RecordIndex> index(new RecordIndex(record, *std::move(database)));
      ready = index->set_up(*chain);
      if (ready.has_value()) return index;
    } else {
      ready = std::unexpected(database.error());
    }
    if (attempt > 0) return std::unexpected(ready.error());
    for (const char* rest : {"", "-wal", "-shm"})
      ::unlink((file + rest).c_str());
  }
}

Result<std::string> RecordIndex::meta(std::string_view key) {
  auto statement = database_.prepare("SELECT value FROM meta WHERE key = ?");
  if (!statement.has_value()) return std::unexpected(statement.error());
  const Result<bool> found = statement->bind(1, key).step();
  if (!found.has_value()) return std::unexpected(found.error());
  return *found ? std::string(statement->text(0)) : std::string();
}

Result<void> RecordIndex::set_meta(std::string_view key, std::string_view value) {
  auto statement = database_.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?)");
  if (!statement.has_value()) return std::unexpected(statement.error());
  return statement->bind(1, key).bind(2, value).run();
}

/// Fails if the file is not an index of that chain.
Result<void> RecordIndex::set_up(const std::string& chain) {
  auto tables = database_.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'meta'");
  if (!tables.has_value()) return std::unexpected(tables.error());
  const Result<bool> counted = tables->step();
  if (!counted.has_value()) return std::unexpected(counted.error());
  const bool is_new = tables->number(0) == 0;
  tables->reset();
  if (is_new) {
    Result<void> made =
        database_.run("BEGIN IMMEDIATE; PRAGMA application_id = " + std::to_string(kApplication) +
                      ";" + kIndexTables);
    if (made.has_value()) made = set_meta("version", kVersionOfTables);
    if (made.has_value()) made = set_meta("chain", chain);
    if (made.has_value()) made = set_meta("head", AuditHead{}.text());
    if (made.has_value()) made = database_.run("COMMIT");
    return made;
  }
  const Result<std::string> version = meta("version");
  const Result<std::string> of = meta("chain");
  if (!version.has_value() || !of.has_value() || *version != kVersionOfTables || *of != chain) {
    return fail(ErrorCode::io_failed, Fault::gateway,
                database_.path() + ": is not an index of this record");
  }
  // The index lacks the records that did not continue the chain. They may be whole again.
  const Result<std::string> problem = meta("problem");
  if (!problem.has_value() || !problem->empty()) {
    return fail(ErrorCode::io_failed, Fault::gateway,
                database_.path() + ": was made of a broken record");
  }
  return {};
}

Result<void> RecordIndex::forget_removed() {
  const auto files = find_chain(record_);
  if (!files.has_value() || files->empty()) return {};
  const std::string first = std::to_string(files->front().before.sequence);
  return database_.run("DELETE FROM record WHERE seq <= " + first +
                       "; DELETE FROM finding WHERE seq <= " + first);
}

Result<RecordIndex::Refreshed> RecordIndex::refresh(
    const std::function<void(std::uint64_t)>& progress) {
  auto writer = IndexWriter::open(database_);
  if (!writer.has_value()) return std::unexpected(writer.error());
  Refreshed refreshed;
  const Result<std::string> known = meta("problem");
  if (!known.has_value()) return std::unexpected(known.error());
  if (!known->empty()) refreshed.problems.push_back(*known);
  const Result<std::vector<std::string>> changed = find_changed();
  if (!changed.has_value()) return std::unexpected(changed.error());
  std::unique_ptr<ChainFollower> follower;
  std::string committed;
  while (true) {
    Result<void> done = database_.run("BEGIN IMMEDIATE");
    if (!done.has_value()) return std::unexpected(done.error());
    // Another process may have continued meanwhile.
    const Result<std::string> head = meta("head");
    if (head.has_value() && (follower == nullptr || *head != committed)) {
      follower =
          std::make_unique<ChainFollower>(record_, parse_audit_head(*head).value_or(AuditHead()));
    }
    if (!head.has_value()) done = std::unexpected(head.error());
    Result<std::uint64_t> added = 0;
    if (done.has_value()) added = add_some(*writer, *follower, refreshed.problems);
    if (!added.has_value()) done = std::unexpected(added.error());
    if (done.has_value()) committed = follower->last().text();
    if (done.has_value()) done = set_meta("head", committed);
    if (done.has_value() && !refreshed.problems.empty()) {
      done = set_meta("problem", refreshed.problems.front());
    }
    if (done.has_value()) done = database_.run("COMMIT");
    if (!done.has_value()) {
      Result<void> undone = database_.run("ROLLBACK");
      // The next query rebuilds it.
      const bool is_other = done.error().code == ErrorCode::not_recordable;
      if (undone.has_value() && is_other) undone = set_meta("version", "");
      return std::unexpected(undone.has_value() ? done.error() : undone.error());
    }
    if (*added == 0) break;
    refreshed.added += *added;
    if (progress) progress(refreshed.added);
  }
  const Result<void> indexed = database_.run(kIndexIndexes);
  if (!indexed.has_value()) return std::unexpected(indexed.error());
  const Result<void> forgotten = forget_removed();
  if (!forgotten.has_value()) return std::unexpected(forgotten.error());
  // Not kept in the index: a file that is as it was again is whole.
  std::ranges::copy(*changed, std::back_inserter(refreshed.problems));
  return refreshed;
}

Result<std::vector<std::string>> RecordIndex::find_changed() {
  const Result<std::string> head = meta("head");
  const Result<std::string> stamps = meta("files");
  if (!head.has_value()) return std::unexpected(head.error());
  if (!stamps.has_value()) return std::unexpected(stamps.error());
  ChangedFiles changed =
      find_changed_files(record_, *stamps, parse_audit_head(*head).value_or(AuditHead()));
  if (changed.stamps != *stamps) {
    const Result<void> kept = set_meta("files", changed.stamps);
    if (!kept.has_value()) return std::unexpected(kept.error());
  }
  return std::move(changed.problems);
}

/// Indexes the records of one transaction; 0 at the end of the record.
Result<std::uint64_t> RecordIndex::add_some(IndexWriter& writer, ChainFollower& follower,
                                            std::vector<std::string>& problems) {
  std::uint64_t added = 0;
  RecordReader reader;
  while (added < kCommitEvery) {
    const std::uint64_t before = follower.last().sequence;
    const auto batch = follower.next(kBatchBytes);
    if (!batch.has_value()) return std::unexpected(batch.error());
    if (!batch->problem.empty()) problems.push_back(batch->problem);
    if (batch->records.empty()) return added;
    // Words of indexed records cannot be removed.
    if (batch->records.front().sequence <= before) {
      return fail(ErrorCode::not_recordable, Fault::gateway,
                  batch->problem + ": run bartizan audit verify, and ask again");
    }
    for (const FollowedRecord& one : batch->records) {
      const auto record = reader.read(one.body);
      if (!record.has_value()) continue;
      const Result<void> done = writer.add(one, **record);
      if (!done.has_value()) return std::unexpected(done.error());
    }
    added += batch->records.size();
  }
  return added;
}

Result<void> RecordIndex::find(const RecordQuery& query,
                               const std::function<void(std::string_view)>& visit) {
  const QueryConditions conditions = conditions_of(query);
  auto statement = database_.prepare("SELECT seq, offset, size FROM record WHERE " +
                                     conditions.text + " ORDER BY seq DESC");
  if (!statement.has_value()) return std::unexpected(statement.error());
  conditions.bind_to(*statement);
  auto files = find_chain(record_);
  if (!files.has_value()) return std::unexpected(files.error());
  LineReader lines(*std::move(files));
  // The index has single words. Whether they are adjacent is checked in the line.
  std::vector<std::string> phrases;
  phrases.reserve(query.words.size());
  for (const std::string& word : query.words)
    phrases.push_back(in_small_letters(json_string_inside(word)));
  std::vector<std::string> found;
  while (found.size() < query.limit) {
    const Result<bool> more = statement->step();
    if (!more.has_value()) return std::unexpected(more.error());
    if (!*more) break;
    Result<std::string> line = lines.read(static_cast<std::uint64_t>(statement->number(0)),
                                          static_cast<std::uint64_t>(statement->number(1)),
                                          static_cast<std::uint64_t>(statement->number(2)));
    if (!line.has_value()) return std::unexpected(line.error());
    const std::string small = phrases.empty() ? "" : in_small_letters(*line);
    const bool fits = std::ranges::all_of(
        phrases, [&small](const std::string& phrase) { return small.contains(phrase); });
    if (fits) found.push_back(*std::move(line));
  }
  for (auto line = found.rbegin(); line != found.rend(); ++line)
    visit(*line);
  return {};
}

}  // namespace bartizan
