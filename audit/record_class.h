#pragma once

#include <cstdint>
#include <string_view>

#include "audit/record.h"
#include "config/risk.h"

namespace bartizan {

/// The class of the event that a record reports, for filters of exports.
enum class RecordClass : std::uint8_t {
  tool_invocation,    ///< An ordinary step of a call.
  performance_event,  ///< A slow call, a timeout, an overload, a server failure.
  protocol_error,     ///< A malformed message or request without signs of intent.
  security_event,     ///< A refusal, withheld content, an operator's act. Must always be noticed.
  life_cycle,         ///< The process, the policy and the record's files: proof of completeness.
};

RecordClass class_of(const Record& record);

/// The name of the class in exported records: `tool_invocation`.
std::string_view text(RecordClass of);

/// The severity of a record, by its kind and its reason. For a security event it is at least the
/// record's `risk`. It is critical if the record was changed or could not be written, or if a
/// tool's definition changed.
Risk severity_of(const Record& record);

/// The technique of MITRE ATLAS that a refusal for this reason indicates, such as `AML.T0051`.
/// Empty if none fits.
/// Source: MITRE ATLAS, "Techniques", 2025.
std::string_view atlas_technique(std::string_view reason);

}  // namespace bartizan
