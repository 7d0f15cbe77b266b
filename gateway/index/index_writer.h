#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "audit/follow_chain.h"
#include "audit/record.h"
#include "gateway/index/sqlite.h"
#include "schemas/base/text_hash.h"

namespace bartizan {

/// Inserts records into the tables of an index. Input: within a transaction.
///
/// Lifetime: ends before its database.
/// Threads:  one at a time.
class IndexWriter {
 public:
  static Result<IndexWriter> open(IndexDatabase& database);

  Result<void> add(const FollowedRecord& place, const Record& record);

 private:
  IndexWriter() = default;
  Result<std::int64_t> number_of(std::string_view text);
  Result<void> add_findings(std::uint64_t sequence, const Record& record);

  IndexStatement insert_record_;
  IndexStatement insert_words_;
  IndexStatement insert_finding_;
  IndexStatement insert_text_;
  IndexStatement find_text_;
  /// Numbers of texts in recent records; cleared at `kTextsMax`.
  std::unordered_map<std::string, std::int64_t, TextHash, std::equal_to<>> numbers_;
  std::string words_;
};

/// The SQL statements that create the tables.
extern const char* const kIndexTables;
/// The SQL statements that create missing indexes of the tables. They run after the first reading
/// of a record, as filling the indexes row by row takes longer.
extern const char* const kIndexIndexes;
/// The verdict of a record in the tables.
inline constexpr std::int64_t kPermitted = 1;
inline constexpr std::int64_t kDenied = 2;
inline constexpr std::int64_t kWithheld = 3;

}  // namespace bartizan
