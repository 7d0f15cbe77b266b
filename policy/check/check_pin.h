#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "policy/check/tool_profiles.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// Whether a tool's definition is accepted under `[pins] mode`:
///
/// - `locked`: the lock file has exactly this definition, approved by a person;
/// - `trust_on_first_use`: the lock file has it. If the lock file lacks the name, it is the first
///   definition in this process. A definition that no person approved must not look poisoned, and
///   must not imitate an approved tool of another server;
/// - `off`: always.
///
/// A tool is refused in every mode if its registration is not approved, or cannot be enforced.
///
/// In all modes but `off`, the parts that the fingerprint does not cover must not look poisoned.
/// These are the members that `[pins] volatile` names, and those that a pin of version 1 leaves
/// out. A definition that a person released in this process is accepted, as long as the lock file
/// has the same entry for the tool as at the release. A definition without a fingerprint was not
/// listed by a server (see `assume_definition`), and is accepted.
///
/// Cost: two look-ups by name; for a definition that nobody approved, those of `PinnedNames`.
bool keeps_pin(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool);

/// Why a tool's definition is not accepted.
struct PinFlaw {
  /// A sentence of the gateway, with the fingerprint. Empty if `keeps_pin`.
  std::string what = {};
  /// The places that differ, as pointers into the definition. They contain the server's names,
  /// which may be secrets. May be empty.
  std::string where = {};
  std::string text() const { return where.empty() ? what : what + ": " + where; }
};

/// Whether the detail of a record is such a flaw, and not a flaw of the definition's schemas.
bool is_pin_flaw(std::string_view detail);

/// Describes how a tool differs from its pin.
using TellDifference = std::function<std::string(const PinnedTool&, const ToolDefinition&)>;

/// Cost: that of `difference`, if the pin is different.
PinFlaw pin_flaw(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool,
                 const TellDifference& difference);

}  // namespace bartizan
