#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_log.h"
#include "audit/record.h"

namespace bartizan {

/// The result of a verification.
struct AuditVerdict {
  bool intact = false;
  /// Whether the only fault is that records before the first one were not read.
  bool begins_late = false;
  std::uint64_t records = 0;
  AuditHead head;             ///< The head after the last verified record.
  std::string first_problem;  ///< `FILE:LINE: …`: the record that was changed, deleted, inserted or
                              ///< swapped.
  std::vector<std::string>
      not_covered;  ///< Faults that this run cannot detect, for instance without a head.
  std::vector<std::string> notes = {};  ///< Records that are legitimately elsewhere: removed by
                                        ///< retention, or still in the spool.
};

/// Reads the files in order as one chain, line by line in bounded memory, and recomputes every
/// hash.
///
/// A chain may begin after record 1 only at the start of a file. It must then hold the record of
/// the removal of the file before. `expected_head` must cover that record, because a process that
/// removes files can also append such a record. If the chain ends before `expected_head`, or has
/// another hash there, it is reported as truncated or replaced. With `from`, a chain may begin
/// after that head: the owner of the head verified the records before it.
/// Cost: about 1.8 µs for a record of 860 bytes.
AuditVerdict verify_audit(const std::vector<std::string>& files,
                          const std::optional<AuditHead>& expected_head,
                          const std::function<void(std::uint64_t)>& progress = {},
                          const std::optional<AuditHead>& from = {});

/// Parses `SEQ:HEX`. Nothing for other text.
std::optional<AuditHead> parse_audit_head(std::string_view text);

/// The meaning of an id in some files: no decision, one, or a common prefix of several.
struct FoundRecords {
  enum class Kind : std::uint8_t { none, one, several };
  Kind kind = Kind::none;
  /// Of several: the first line of each decision, at most `candidates_max`.
  std::vector<std::string> candidates = {};
  bool has_more = false;  ///< Whether there are more.

  static constexpr std::size_t candidates_max = 10;
};

/// Calls `visit` with each line of the files whose `decision_id` is `id`, or begins with `id` if
/// only one does. `last` is the id of the last denied call, or withheld or truncated result. For
/// `audit show`.
FoundRecords find_records(const std::vector<std::string>& files, std::string_view id,
                          const std::function<void(std::string_view)>& visit);

/// Formats one line of the file as readable text. `audit tail` shows a decision in one line, `audit
/// show` each field in its own line. Control characters are escaped in all texts.
enum class RecordLayout : std::uint8_t { line, fields };
std::string format_record(std::string_view json_line, RecordLayout layout);

/// Text as `format_record` shows it, because clients choose names in a record. Backslashes, control
/// characters and other characters that move the cursor are escaped.
std::string visible(std::string_view text);

}  // namespace bartizan
