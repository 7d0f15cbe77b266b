#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gateway/command/command_audit.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// The record that is asked, and its index.
struct IndexedRecord {
  RecordPlace record = {};  ///< One record: its file, or the configuration that names it.
  std::string index = {};   ///< Path of the index; empty for `RECORD.index`.
  std::string since = {};   ///< As `read_moment`; empty for its beginning.
  std::string until = {};   ///< … and for now.
  /// Told the records taken up so far, now and then; for whoever waits at a terminal.
  std::function<void(std::uint64_t)> progress = {};
};

/// `bartizan audit query [FILE] [--since T] [--until T] [--principal P] [--tool T] …`: the records
/// that fit, as lines, CSV or JSON lines.
struct AuditQueryOptions {
  IndexedRecord place = {};
  std::string principal = {};
  std::string tool = {};  ///< `server/tool`, or the tool alone; likewise prompts and resources.
  std::string rule = {};
  std::string reason = {};
  std::string decision = {};  ///< `permit` or `deny`.
  std::string kind = {};
  std::vector<std::string> words = {};
  std::string arguments_file = {};  ///< `find`: a file that holds arguments as JSON.
  std::size_t limit = 1000;
  bool redacted = false;
  bool csv = false;
};
int query_record(const AuditQueryOptions& options, const CommandOutput& output);

/// `bartizan audit find --arguments FILE --config FILE`: calls that had exactly these arguments.
/// The record has their digest alone, so the key of `[audit] digest_key` is needed.
int find_arguments(const AuditQueryOptions& options, const CommandOutput& output);

/// `bartizan audit report [FILE] [--since T] [--until T]`: what was refused and why, who called
/// what, slow tools, masked secrets.
struct AuditReportOptions {
  IndexedRecord place = {};
  std::string format = "text";  ///< `text`, `markdown` or `html`; `--json` is apart.
};
int report_record(const AuditReportOptions& options, const CommandOutput& output);

}  // namespace bartizan
