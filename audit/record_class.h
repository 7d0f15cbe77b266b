#pragma once

#include <cstdint>
#include <string_view>

#include "audit/record.h"
#include "config/risk.h"

namespace bartizan {

/// What sort of event a record tells of, as filters of exports ask for it.
enum class RecordClass : std::uint8_t {
  tool_invocation,    ///< An ordinary step of a call.
  performance_event,  ///< A slow call, a timeout, an overload, a server that fails.
  protocol_error,     ///< A message or request that is malformed, and shows no intent.
  security_event,  ///< A refusal, something withheld, an operator's act: what must reach everybody.
  life_cycle,      ///< The process, the policy and the record's files: they prove completeness.
};

RecordClass class_of(const Record& record);

/// As records are exported: `tool_invocation`.
std::string_view text(RecordClass of);

/// How grave it is: the higher of its `risk` and of what its kind and reason say. A record that was
/// changed or could not be written is critical, and so is a definition of a tool that changed.
Risk severity_of(const Record& record);

/// The technique of MITRE ATLAS that a refusal for this reason is a sign of, such as `AML.T0051`;
/// empty where none fits.
/// Source: MITRE ATLAS, "Techniques", 2025.
std::string_view atlas_technique(std::string_view reason);

}  // namespace bartizan
