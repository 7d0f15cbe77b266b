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

/// Names by which queries filter.
enum class IndexedName : std::uint8_t {
  principal,
  tool,  ///< `server/tool`; also prompts and resources.
  rule
};

namespace limits {
/// The most names in a list.
inline constexpr std::size_t indexed_names_max = 10'000;
}  // namespace limits

/// An index of a record, in an SQLite file beside it. The record remains the authority. The index
/// has only places in its files, and each line is read there and checked. The index can be deleted
/// at any time and is then rebuilt.
///
/// Errors:  io_failed; for queries also not_recordable, if the record is not the indexed one.
/// Threads: one at a time. Several processes may use one index.
class RecordIndex {
 public:
  /// Opens the index of the record at `record`. `path` is its file; empty for `RECORD.index`. An
  /// index of another chain, of another version, or a damaged one is rebuilt.
  static Result<std::unique_ptr<RecordIndex>> open(const std::string& record,
                                                   const std::string& path = {});

  /// The result of reading new records.
  struct Refreshed {
    std::uint64_t added = 0;
    /// Places where the chain of the record is broken, or the record differs from what was indexed.
    std::vector<std::string> problems = {};
  };
  /// Indexes new records, and forgets deleted ones. Files that changed since they were indexed are
  /// verified again, see `find_changed_files`. `progress` is called now and then with the number of
  /// records so far.
  Result<Refreshed> refresh(const std::function<void(std::uint64_t)>& progress = {});

  /// Calls `visit` with the line of each matching record, oldest first.
  Result<void> find(const RecordQuery& query, const std::function<void(std::string_view)>& visit);
  /// Returns the names of that kind in the record, sorted, at most `indexed_names_max`.
  /// Cost: reads the whole index once.
  Result<std::vector<std::string>> names(IndexedName kind);
  /// Makes the report for a time span.
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
