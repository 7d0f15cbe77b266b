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

/// What a verification found.
struct AuditVerdict {
  bool intact = false;
  /// Whether all that is wrong is that nothing was read of what stands before the first record.
  bool begins_late = false;
  std::uint64_t records = 0;
  AuditHead head;  ///< Of the last record that verified.
  std::string
      first_problem;  ///< `FILE:LINE: …`: which record was flipped, deleted, inserted, swapped.
  std::vector<std::string>
      not_covered;                      ///< What this run cannot tell, for instance without a head.
  std::vector<std::string> notes = {};  ///< What is missing by right: removed by retention.
};

/// Reads the files in order as one chain, line by line in bounded memory, and recomputes every
/// hash. A chain that does not begin with record 1 is whole only if it begins where a file does and
/// holds the record of the removal of the file before, which `expected_head` covers: whoever
/// removes files can append such a record. With `expected_head`, a chain that ends before it or
/// passes it with another hash is reported as truncated or replaced. With `from`, a chain may begin
/// behind that head: what stands before was verified by whoever kept it.
/// Cost: about 1.8 µs a record of 860 bytes.
AuditVerdict verify_audit(const std::vector<std::string>& files,
                          const std::optional<AuditHead>& expected_head,
                          const std::function<void(std::uint64_t)>& progress = {},
                          const std::optional<AuditHead>& from = {});

/// `SEQ:HEX`, or nothing.
std::optional<AuditHead> parse_audit_head(std::string_view text);

/// What an id stands for in some files: nothing, one decision, or the beginning of several.
struct FoundRecords {
  enum class Kind : std::uint8_t { none, one, several };
  Kind kind = Kind::none;
  /// Of several: the first line of each decision, `candidates_max` of them at most.
  std::vector<std::string> candidates = {};
  bool has_more = false;  ///< Whether there are further ones.

  static constexpr std::size_t candidates_max = 10;
};

/// Calls `visit` with each line of the files whose `decision_id` is `id` (or begins with it and is
/// the only one that does; `last` is the one of the last denied call, or withheld result). For
/// `audit show`.
FoundRecords find_records(const std::vector<std::string>& files, std::string_view id,
                          const std::function<void(std::string_view)>& visit);

/// One line of the file as readable text: a decision in one line for `audit tail`, every field in
/// its own for `audit show`. Control characters of any text are escaped.
enum class RecordLayout : std::uint8_t { line, fields };
std::string format_record(std::string_view json_line, RecordLayout layout);

/// Text with backslashes, control characters and what else moves a cursor escaped, as
/// `format_record` has it: names in a record are a client's.
std::string visible(std::string_view text);

}  // namespace bartizan
