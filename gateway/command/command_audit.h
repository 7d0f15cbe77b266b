#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/verify.h"
#include "gateway/command/verify_heads.h"
#include "gateway/review/command_output.h"

namespace bartizan {

/// Reports why a question about the record cannot be answered. Returns `exit_code`.
int refuse_audit(const CommandOutput& output, std::string_view why, int exit_code = kExitFailed);

/// Lists the decisions whose ids start with `id`. Returns `kExitFailed`.
int refuse_ambiguous(const std::string& id, const FoundRecords& found, const CommandOutput& output);

/// The record to read: files, or the record of a configuration.
struct RecordPlace {
  std::vector<std::string> files = {};
  std::string config_file = {};
};
/// The files of the record, existing or not. Reports an error and returns nothing if the
/// configuration names none. If `place` is empty, the default is `kDefaultRecordFile`. If that does
/// not exist, it is the record that `bartizan wrap` wrote last, with a line to `problems`.
std::optional<std::vector<std::string>> record_files(const RecordPlace& place,
                                                     const CommandOutput& output);
inline constexpr const char* kDefaultRecordFile = "var/audit.jsonl";
/// The default records if `place` is empty: all records of `bartizan wrap`, if there is no
/// `kDefaultRecordFile`. Otherwise empty.
std::vector<std::string> unnamed_records(const RecordPlace& place);
/// Runs `act` for each of `unnamed_records`, after a line with its name to `problems`; otherwise
/// once, for `place`. Returns the first exit code that is not kExitDone.
int for_each_record(const RecordPlace& place, const CommandOutput& output,
                    const std::function<int(const RecordPlace&)>& act);
/// The hint for several files where one file stands for its chain.
inline constexpr std::string_view kOneRecord = "name one record; its closed files are read, too";

/// `bartizan audit verify FILE… [--head SEQ:HASH] [--from SEQ:HASH]`: recomputes the chain over the
/// files in order. A single file includes the closed files of its chain.
struct AuditVerifyOptions {
  RecordPlace record = {};
  std::string head = {};   ///< The head that was kept elsewhere; empty: none.
  std::string from = {};   ///< The head before the first file; empty: the whole chain.
  HeadOptions heads = {};  ///< Signed heads, instead of `head`.
  /// Called now and then with the number of records read; for a person at a terminal.
  std::function<void(std::uint64_t)> progress = {};
};
int verify_record(const AuditVerifyOptions& options, const CommandOutput& output);

/// `bartizan audit show ID [FILE…|--config FILE]`: every record of one decision with all fields,
/// and the meaning of a refusal.
struct AuditShowOptions {
  std::string id;  ///< Or its beginning, or `last` for the last refusal.
  RecordPlace record = {};
};
int show_record(const AuditShowOptions& options, const CommandOutput& output);

/// The records that `audit tail` shows. Empty members match all.
struct RecordFilter {
  enum class Verdict : std::uint8_t { any, denied };  ///< Withheld results count as denied.
  Verdict verdict = Verdict::any;
  std::string principal = {};
  std::string tool = {};  ///< `server/tool`, the tool alone, or a client's name of it. Prompts and
                          ///< resources likewise.

  bool is_open() const { return verdict == Verdict::any && principal.empty() && tool.empty(); }
};

/// `bartizan audit tail FILE [-n N] [--follow] [--denied] [--principal P] [--tool T]`: the last
/// records, one line each. Closed files are read if the last file has fewer records. `--follow`
/// continues in the next file.
struct AuditTailOptions {
  enum class Then : std::uint8_t { stop, follow };
  RecordPlace record = {};
  RecordFilter filter = {};
  std::size_t lines = 10;
  Then then = Then::stop;  ///< Following ends with the process, or when nobody reads the output.
};
int tail_record(const AuditTailOptions& options, const CommandOutput& output);

}  // namespace bartizan
