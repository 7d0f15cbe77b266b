#pragma once

#include <string>
#include <string_view>

#include "gateway/export/exported_record.h"

namespace bartizan {

/// The columns of `bartizan.record`, as rows have their values.
inline constexpr std::string_view kRecordColumns =
    "day,instance,chain,seq,hash,at,kind,class,severity,principal,server,method,target,decision,"
    "reason,rule,outcome,decision_id,line";

/// `2026-11-30` of a record: what partitions are for. Lifetime: views the record.
std::string_view day_of(const ExportedRecord& record);

/// The name of the partition of a day: digits and underscores alone.
std::string partition_name(std::string_view day);

/// Appends a row in the text format of COPY, with its newline. What a record does not have is NULL.
/// Source: PostgreSQL 15, "COPY", File Formats, Text Format.
void append_record_row(std::string& out, const RecordOrigin& origin, const ExportedRecord& event);

}  // namespace bartizan
