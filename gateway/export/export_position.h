#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/audit_log.h"
#include "schemas/base/result.h"

namespace bartizan {

/// How far a sink has acknowledged a record. Kept beside the record, in a file for each export.
struct ExportPosition {
  std::string chain;  ///< The hash of record 1 of the chain, hex.
  AuditHead head;     ///< Of the last record that the sink has.
};

/// `RECORD.NAME`, beside the record: `audit.jsonl.export-siem`.
std::string position_path(std::string_view record, std::string_view name);

/// What is kept there; nothing where there is no file.
/// Errors: io_failed, also for a file that holds something else: what was sent is not known then.
Result<std::optional<ExportPosition>> read_position(const std::string& path);

/// Keeps it in the place of what was kept before: the one or the other is there, whole.
Result<void> write_position(const std::string& path, const ExportPosition& position);

}  // namespace bartizan
