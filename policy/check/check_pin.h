#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "policy/check/tool_profiles.h"
#include "schemas/message/tool_definition.h"

namespace bartizan {

/// Whether a tool is what people approved of it, as strictly as `[pins] mode` asks:
///
/// - `locked`: the lock file has exactly this definition, approved by a person;
/// - `trust_on_first_use`: the lock file has it or, where it has none of that name, it came first
///   in this process. What no person approved is taken only where nothing in it is held for
///   poisoned, and it does not pass for a tool of another server that a person approved;
/// - `off`: always.
///
/// A tool whose registration no person has approved, or cannot be kept, is none under any mode.
///
/// Under all but `off`, nothing that is held for poisoned may stand in what the fingerprint does
/// not cover: in what `[pins] volatile` names, and of a pin of version 1 in what that leaves out.
/// What a person released while the process runs is approved under each, as long as the lock file
/// says of the tool what it said then. A definition without a fingerprint is one that no
/// server listed, as `assume_definition` makes them, and is taken.
///
/// Cost: two look-ups by name; of what nobody approved, those of `PinnedNames`.
bool keeps_pin(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool);

/// Why a tool is not what people approved.
struct PinFlaw {
  /// In one of our own sentences, with its fingerprint. Empty where `keeps_pin`.
  std::string what = {};
  /// What differs or where, as pointers into the definition: the server's own names, which may be
  /// secrets. Empty where there is no more to say.
  std::string where = {};
  std::string text() const { return where.empty() ? what : what + ": " + where; }
};

/// Whether a record's detail is such a flaw, and not one of the definition's schemas.
bool is_pin_flaw(std::string_view detail);

/// Says how a tool differs from what is pinned of it.
using TellDifference = std::function<std::string(const PinnedTool&, const ToolDefinition&)>;

/// Cost: that of `difference`, where something else is pinned.
PinFlaw pin_flaw(const ToolProfiles& profiles, std::string_view server, const ToolDefinition& tool,
                 const TellDifference& difference);

}  // namespace bartizan
