#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/export/exported_record.h"

namespace bartizan {

/// Alike events that are told as one: of the same kind, reason, rule, principal, server and target.
struct AlertEvent {
  std::string id;         ///< Of the first record: `record_id`.
  std::string first;      ///< Its members, as a JSON object without braces: no argument among them.
  std::string last_time;  ///< When the last one was; RFC 3339.
  std::uint64_t count = 1;
};

/// What makes two records alike. Lifetime: a text of its own.
std::string alert_key(const Record& record);

/// The event of one record.
AlertEvent alert_event(const RecordOrigin& origin, const ExportedRecord& record);

/// The event as its receiver gets it: a JSON object with `alert`, the members of the first record,
/// `count` and `last_time`. `is_repeat` says that the first one was told before.
/// Source: docs/alerts.md.
std::string alert_json(std::string_view alert, const AlertEvent& event, bool is_repeat);

}  // namespace bartizan
