#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "gateway/index/index_writer.h"
#include "gateway/index/record_query.h"
#include "gateway/index/sqlite.h"

namespace bartizan {

/// Names that questions filter by.
enum class IndexedName : std::uint8_t {
  principal,
  tool,  ///< `server/tool`; also prompts and resources.
  rule
};

namespace limits {
/// Names that an answer lists.
inline constexpr std::size_t indexed_names_max = 10'000;
}  // namespace limits

/// An index of a record, in an SQLite file beside it. The record stays the truth: the index names
/// places in its files, and each line is read there and looked at again. It can be removed at any
/// time; it is made anew.
///
/// Errors:  io_failed; of questions also not_recordable, where the record is not what was indexed.
/// Threads: one at a time. Several processes may use one index.
class RecordIndex {
 public:
  /// Opens the index of the record at `record`; `path` is where it is, empty for `RECORD.index`.
  /// What is of another chain, of another version or damaged is made anew.
  static Result<std::unique_ptr<RecordIndex>> open(const std::string& record,
                                                   const std::string& path = {});

  /// What taking up the record found.
  struct Refreshed {
    std::uint64_t added = 0;
    /// Places where the record does not follow itself, or is another one than was indexed.
    std::vector<std::string> problems = {};
  };
  /// Takes up what the record has by now, and forgets what was removed of it. Files that changed
  /// since they were indexed are verified again, see `find_changed_files`. `progress` is told the
  /// records so far, now and then.
  Result<Refreshed> refresh(const std::function<void(std::uint64_t)>& progress = {});

  /// Calls `visit` with the line of each record that the query asks for, oldest first.
  Result<void> find(const RecordQuery& query, const std::function<void(std::string_view)>& visit);
  /// Names of that kind which records have, in their order, so many at most.
  /// Cost: reads the index through once.
  Result<std::vector<std::string>> names(IndexedName kind);
  /// The answers to what a report asks of that time.
  Result<RecordReport> report(const TimeSpan& span);

 private:
  RecordIndex(std::string record, IndexDatabase database)
      : record_(std::move(record)), database_(std::move(database)) {}
  Result<void> set_up(const std::string& chain);
  Result<std::string> meta(std::string_view key);
  Result<void> set_meta(std::string_view key, std::string_view value);
  Result<std::uint64_t> add_some(IndexWriter& writer, ChainFollower& follower,
                                 std::vector<std::string>& problems);
  Result<void> forget_removed();
  Result<std::vector<std::string>> find_changed();
  Result<void> time_tools(RecordReport& report);
  Result<std::vector<CountedText>> count_texts(const std::string& statement, const TimeSpan& span);

  std::string record_;
  IndexDatabase database_;
};

}  // namespace bartizan
