#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "audit/follow_chain.h"
#include "audit/record.h"
#include "config/risk.h"

namespace bartizan {

/// The origin of a record. Together with the number in the chain it identifies the record
/// everywhere.
struct RecordOrigin {
  std::string instance;  ///< `[audit] instance`, or the host's name.
  std::string chain;     ///< The hash of record 1, hex.

  bool operator==(const RecordOrigin&) const = default;
};

/// One record for a sink. Lifetime: views its batch.
struct ExportedRecord {
  std::string_view line;  ///< As in the record's file, without newline.
  std::string_view body;  ///< `"v":1,…`: the part that the hash covers.
  std::uint64_t sequence = 0;
  std::string_view hash;  ///< Hex.
  std::string_view time;  ///< As in the record: RFC 3339, UTC, microseconds.
  const Record* record = nullptr;
};

/// Appends `{"instance":…,"chain":…,"class":…,"severity":…,"technique":…,RECORD}`. The record's
/// members are unchanged and in their order, with `seq`, `prev` and `hash`. Source:
/// docs/exporting.md.
void append_json_record(std::string& out, const RecordOrigin& origin, const ExportedRecord& record);

/// The unique id of a record: `INSTANCE-CHAIN-SEQ` with the first 16 digits of the chain.
std::string record_id(const RecordOrigin& origin, std::uint64_t sequence);

/// Appends one event in ArcSight's Common Event Format, without newline.
/// Source: CEF, "Implementing ArcSight Common Event Format", version 25: header and extension.
void append_cef(std::string& out, const RecordOrigin& origin, const ExportedRecord& record);

/// Appends the head of a syslog message, including the blank before its text. The facility is 13,
/// audit. The structured data contain the record's identity.
/// Source: RFC 5424 §6.
void append_syslog_head(std::string& out, const RecordOrigin& origin, const ExportedRecord& record,
                        std::string_view host, std::uint32_t process);

/// A body of OTLP/HTTP in the JSON encoding, with all these records as logs.
/// Source: OpenTelemetry Protocol 1.x, "OTLP/HTTP", "JSON Protobuf Encoding".
std::string otlp_logs(const RecordOrigin& origin, std::span<const ExportedRecord> records);

/// A body for Elastic's bulk API. It uses `create` with the record's id, so a repeated record is
/// not duplicated.
std::string elastic_bulk(const RecordOrigin& origin, std::string_view index,
                         std::span<const ExportedRecord> records);

/// Events for Splunk's collector, in sequence. Input: `index` may be empty.
std::string splunk_events(const RecordOrigin& origin, std::string_view index,
                          std::span<const ExportedRecord> records);

/// One JSON record per line.
std::string json_lines_of(const RecordOrigin& origin, std::span<const ExportedRecord> records);

}  // namespace bartizan
