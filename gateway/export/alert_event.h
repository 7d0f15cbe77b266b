#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/export/exported_record.h"

namespace bartizan {

/// A group of similar events that are sent as one: same kind, reason, rule, principal, server and
/// target.
struct AlertEvent {
  std::string id;     ///< The `record_id` of the first record.
  std::string first;  ///< The first record's members, as a JSON object without braces and without
                      ///< arguments.
  std::string last_time;  ///< Time of the last event; RFC 3339.
  std::uint64_t count = 1;
};

/// The key that similar records share. Lifetime: owns its text.
std::string alert_key(const Record& record);

/// The event of one record.
AlertEvent alert_event(const RecordOrigin& origin, const ExportedRecord& record);

/// The JSON object for the receiver: `alert`, the members of the first record, `count` and
/// `last_time`. `is_repeat` says that the first event was sent before.
/// Source: docs/alerts.md.
std::string alert_json(std::string_view alert, const AlertEvent& event, bool is_repeat);

}  // namespace bartizan
