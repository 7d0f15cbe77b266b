#pragma once

#include <string>
#include <string_view>

#include "gateway/export/exported_record.h"

namespace bartizan {

/// The columns of `bartizan.record`, in the order of a row's values.
inline constexpr std::string_view kRecordColumns =
    "day,instance,chain,seq,hash,at,kind,class,severity,principal,server,method,target,decision,"
    "reason,rule,outcome,decision_id,line";

/// The day of a record, such as `2026-11-30`, for partitions. Lifetime: views the record.
std::string_view day_of(const ExportedRecord& record);

/// The name of a day's partition: digits and underscores only.
std::string partition_name(std::string_view day);

/// Appends a row in the text format of COPY, with its newline. Members that the record lacks are
/// NULL.
/// Source: PostgreSQL 15, "COPY", File Formats, Text Format.
void append_record_row(std::string& out, const RecordOrigin& origin, const ExportedRecord& event);

}  // namespace bartizan
