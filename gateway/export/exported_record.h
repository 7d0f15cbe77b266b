#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "audit/follow_chain.h"
#include "audit/record.h"
#include "config/risk.h"

namespace bartizan {

/// Whose record is sent: a record is known everywhere by the two and its number in the chain.
struct RecordOrigin {
  std::string instance;  ///< `[audit] instance`, or the name of the host.
  std::string chain;     ///< The hash of record 1, hex.

  bool operator==(const RecordOrigin&) const = default;
};

/// One record on its way to a sink. Lifetime: views its batch.
struct ExportedRecord {
  std::string_view line;  ///< As the record's file has it, without newline.
  std::string_view body;  ///< `"v":1,…`: what the hash binds.
  std::uint64_t sequence = 0;
  std::string_view hash;  ///< Hex.
  std::string_view time;  ///< As the record spells it: RFC 3339, UTC, microseconds.
  const Record* record = nullptr;
};

/// `{"instance":…,"chain":…,"class":…,"severity":…,"technique":…,RECORD}`: the record's members
/// stay as they are, in their order, with `seq`, `prev` and `hash`. Source: docs/exporting.md.
void append_json_record(std::string& out, const RecordOrigin& origin, const ExportedRecord& record);

/// `INSTANCE-CHAIN-SEQ` with the first 16 digits of the chain: one id for each record.
std::string record_id(const RecordOrigin& origin, std::uint64_t sequence);

/// One event in ArcSight's Common Event Format, without newline.
/// Source: CEF, "Implementing ArcSight Common Event Format", version 25: header and extension.
void append_cef(std::string& out, const RecordOrigin& origin, const ExportedRecord& record);

/// The head of a message of syslog, up to and with the blank before its text: facility 13, audit.
/// Its structured data have the identity of the record.
/// Source: RFC 5424 §6.
void append_syslog_head(std::string& out, const RecordOrigin& origin, const ExportedRecord& record,
                        std::string_view host, std::uint32_t process);

/// A body of OTLP/HTTP in the JSON encoding with all these records as logs.
/// Source: OpenTelemetry Protocol 1.x, "OTLP/HTTP", "JSON Protobuf Encoding".
std::string otlp_logs(const RecordOrigin& origin, std::span<const ExportedRecord> records);

/// A body for Elastic's bulk API: `create` under an id of its own, so that nothing is doubled.
std::string elastic_bulk(const RecordOrigin& origin, std::string_view index,
                         std::span<const ExportedRecord> records);

/// Events for Splunk's collector, one after the other. Input: `index` may be empty.
std::string splunk_events(const RecordOrigin& origin, std::string_view index,
                          std::span<const ExportedRecord> records);

/// A record a line.
std::string json_lines_of(const RecordOrigin& origin, std::span<const ExportedRecord> records);

}  // namespace bartizan
