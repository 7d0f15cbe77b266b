#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gateway/command_output.h"

namespace bartizan {

/// `bartizan audit verify FILE… [--head SEQ:HASH]`: recomputes the chain over the files in order;
/// one file brings the closed ones of its chain with it.
struct AuditVerifyOptions {
  std::vector<std::string> files;
  std::string head = {};  ///< Empty: none was kept elsewhere.
  /// Told the records read so far, now and then; for whoever waits at a terminal.
  std::function<void(std::uint64_t)> progress = {};
};
int verify_record(const AuditVerifyOptions& options, const CommandOutput& output);

/// `bartizan audit show ID [FILE…|--config FILE]`: every record of one decision, all fields.
struct AuditShowOptions {
  std::string id;
  std::vector<std::string> files = {};  ///< Empty: the one that the configuration names, …
  std::string config_file = {};         ///< … and without one `kDefaultRecordFile`.
};
inline constexpr const char* kDefaultRecordFile = "var/audit.jsonl";
int show_record(const AuditShowOptions& options, const CommandOutput& output);

/// `bartizan audit tail FILE [-n N] [--follow]`: the last records, a line each, of closed files too
/// where the last one has fewer. Following goes on in the next file.
struct AuditTailOptions {
  enum class Then : std::uint8_t { stop, follow };
  std::string file;
  std::size_t lines = 10;
  Then then = Then::stop;  ///< Following ends with the process, or when nobody reads any more.
};
int tail_record(const AuditTailOptions& options, const CommandOutput& output);

}  // namespace bartizan
