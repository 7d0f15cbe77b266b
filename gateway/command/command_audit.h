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

/// Says why a question about the record has no answer. Answers `exit_code`.
int refuse_audit(const CommandOutput& output, std::string_view why, int exit_code = kExitFailed);

/// Lists the decisions whose ids begin with what was given. Answers `kExitFailed`.
int refuse_ambiguous(const std::string& id, const FoundRecords& found, const CommandOutput& output);

/// The record that is meant: files, or the one that a configuration names.
struct RecordPlace {
  std::vector<std::string> files = {};
  std::string config_file = {};
};
/// The files of the record, whether they are there or not. Nothing, with the reason said, where the
/// configuration names none. Where nothing is named at all: `kDefaultRecordFile`, or where that
/// does not exist, with a line to `problems`, the record that `bartizan wrap` wrote last.
std::optional<std::vector<std::string>> record_files(const RecordPlace& place,
                                                     const CommandOutput& output);
inline constexpr const char* kDefaultRecordFile = "var/audit.jsonl";
/// The records that are meant where nothing is named: each of `bartizan wrap`, where there is no
/// `kDefaultRecordFile`. Empty otherwise.
std::vector<std::string> unnamed_records(const RecordPlace& place);
/// Does the same for each of `unnamed_records`, after a line to `problems` with its name; or once,
/// for `place` as it is. Answers the first exit code that is not kExitDone.
int for_each_record(const RecordPlace& place, const CommandOutput& output,
                    const std::function<int(const RecordPlace&)>& act);
/// What to say to whoever names several files where one stands for its chain.
inline constexpr std::string_view kOneRecord = "name one record; its closed files are read, too";

/// `bartizan audit verify FILE… [--head SEQ:HASH] [--from SEQ:HASH]`: recomputes the chain over the
/// files in order; one file brings the closed ones of its chain with it.
struct AuditVerifyOptions {
  RecordPlace record = {};
  std::string head = {};   ///< Empty: none was kept elsewhere.
  std::string from = {};   ///< The head that the first file continues; empty for the whole chain.
  HeadOptions heads = {};  ///< Signed ones, in the place of `head`.
  /// Told the records read so far, now and then; for whoever waits at a terminal.
  std::function<void(std::uint64_t)> progress = {};
};
int verify_record(const AuditVerifyOptions& options, const CommandOutput& output);

/// `bartizan audit show ID [FILE…|--config FILE]`: every record of one decision, all fields, and
/// what a refusal means.
struct AuditShowOptions {
  std::string id;  ///< Or how it begins, or `last` for the last refusal.
  RecordPlace record = {};
};
int show_record(const AuditShowOptions& options, const CommandOutput& output);

/// Which records `audit tail` shows; what is empty asks for nothing.
struct RecordFilter {
  enum class Verdict : std::uint8_t { any, denied };  ///< Withheld results count as denied.
  Verdict verdict = Verdict::any;
  std::string principal = {};
  std::string tool = {};  ///< `server/tool`, the tool alone, or a client's name of it; likewise
                          ///< prompts and resources.

  bool is_open() const { return verdict == Verdict::any && principal.empty() && tool.empty(); }
};

/// `bartizan audit tail FILE [-n N] [--follow] [--denied] [--principal P] [--tool T]`: the last
/// records, a line each, of closed files too where the last one has fewer. Following goes on in the
/// next file.
struct AuditTailOptions {
  enum class Then : std::uint8_t { stop, follow };
  RecordPlace record = {};
  RecordFilter filter = {};
  std::size_t lines = 10;
  Then then = Then::stop;  ///< Following ends with the process, or when nobody reads any more.
};
int tail_record(const AuditTailOptions& options, const CommandOutput& output);

}  // namespace bartizan
