#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gateway/command/command_audit.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// The record of a query, and its index.
struct IndexedRecord {
  RecordPlace record = {};  ///< One record: its file, or the configuration that names it.
  std::string index = {};   ///< Path of the index; empty: `RECORD.index`.
  std::string since = {};   ///< As for `read_moment`; empty: the record's start.
  std::string until = {};   ///< As for `read_moment`; empty: now.
  /// Called now and then with the number of indexed records; for a person at a terminal.
  std::function<void(std::uint64_t)> progress = {};
};

/// `bartizan audit query [FILE] [--since T] [--until T] [--principal P] [--tool T] …`: the matching
/// records as lines, CSV or JSON lines.
struct AuditQueryOptions {
  IndexedRecord place = {};
  std::string principal = {};
  std::string tool = {};  ///< `server/tool`, or the tool alone. Prompts and resources likewise.
  std::string rule = {};
  std::string reason = {};
  std::string decision = {};  ///< `permit` or `deny`.
  std::string kind = {};
  std::vector<std::string> words = {};
  std::string arguments_file = {};  ///< `find`: a file with arguments as JSON.
  std::size_t limit = 1000;
  bool redacted = false;
  bool csv = false;
};
int query_record(const AuditQueryOptions& options, const CommandOutput& output);

/// `bartizan audit find --arguments FILE --config FILE`: the calls with exactly these arguments.
/// The record has only their digest, so the key of `[audit] digest_key` is required.
int find_arguments(const AuditQueryOptions& options, const CommandOutput& output);

/// `bartizan audit report [FILE] [--since T] [--until T]`: refusals with reasons, calls by
/// principal, slow tools, masked secrets.
struct AuditReportOptions {
  IndexedRecord place = {};
  std::string format = "text";  ///< `text`, `markdown` or `html`; `--json` is separate.
};
int report_record(const AuditReportOptions& options, const CommandOutput& output);

}  // namespace bartizan
