#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/finding_severity.h"
#include "schemas/json/json.h"

namespace bartizan {

/// One difference between two definitions of a tool.
struct DefinitionChange {
  FindingSeverity severity = FindingSeverity::low;
  std::string pointer = {};  ///< Into the newer one; into the older one for a part that is gone.
  std::string what = {};     ///< In the gateway's words, without text of the server.
  bool operator==(const DefinitionChange&) const = default;
};

/// The differences between two entries of `tools/list`:
///
/// - high: a description, a hint that promises less (`readOnlyHint` that is gone), a new argument
///   that asks for context or credentials, a member that no revision has, or a text that gives the
///   model an instruction;
/// - medium: values that the schemas newly accept, new arguments and properties of results,
///   `_meta`, icons and the like;
/// - low: titles, members of these that are gone, and schemas that only became narrower.
///
/// In the order of the pointers. At most `definition_changes_max`; if there are more, the last one
/// states it. Empty exactly if both have the same fingerprint without volatile members.
///
/// Cost: linear in the texts, times the depth of the differences. Beyond a few, the whole is one
///       difference.
std::vector<DefinitionChange> diff_definitions(JsonValue older, JsonValue newer);
inline constexpr std::size_t definition_changes_max = 64;

/// The first few pointers at which two definitions differ, cut, for a record: `/description,
/// /title`. Texts that cannot be parsed differ as a whole.
/// Input: `volatile_members`, JSON pointers; differences there are left out.
std::string difference_text(std::string_view older, std::string_view newer,
                            std::span<const std::string> volatile_members = {});

/// The highest severity of these changes; `low` for none.
FindingSeverity worst(const std::vector<DefinitionChange>& changes);

}  // namespace bartizan
