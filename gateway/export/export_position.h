#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "audit/audit_log.h"
#include "schemas/base/result.h"

namespace bartizan {

/// The last record that a sink has acknowledged. It is kept beside the record, in one file for each
/// export.
struct ExportPosition {
  std::string chain;  ///< The hash of record 1 of the chain, hex.
  AuditHead head;     ///< Of the last acknowledged record.
};

/// `RECORD.NAME`, beside the record: `audit.jsonl.export-siem`.
std::string position_path(std::string_view record, std::string_view name);

/// Reads the kept position; nothing without a file.
/// Errors: io_failed, also for a file with other content, since the position is then unknown.
Result<std::optional<ExportPosition>> read_position(const std::string& path);

/// Replaces the kept position atomically.
Result<void> write_position(const std::string& path, const ExportPosition& position);

}  // namespace bartizan
