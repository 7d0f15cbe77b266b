#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/finding_severity.h"
#include "schemas/json/json.h"

namespace bartizan {

/// One thing that differs between two definitions of a tool.
struct DefinitionChange {
  FindingSeverity severity = FindingSeverity::low;
  std::string pointer = {};  ///< Into the newer one; into the older of what is gone.
  std::string what = {};     ///< In our own words, without the server's.
  bool operator==(const DefinitionChange&) const = default;
};

/// What differs between two entries of `tools/list`:
///
/// - high: a description, a hint that promises less (`readOnlyHint` that is gone), a new argument
///   that asks for context or credentials, a member that no revision knows, or a text that tells a
///   model what to do;
/// - medium: what the schemas let pass beyond before, new arguments and properties of results,
///   `_meta`, icons and the like;
/// - low: titles, what is gone of these members, and what is only narrower.
///
/// In the order of the pointers; at most `definition_changes_max` of them, the last of which then
/// says so. Empty exactly where both have the same fingerprint, no member being volatile.
///
/// Cost: linear in the texts, times the levels of what differs: of more than a few, as a whole.
std::vector<DefinitionChange> diff_definitions(JsonValue older, JsonValue newer);
inline constexpr std::size_t definition_changes_max = 64;

/// Where two definitions differ, for a record: the first few pointers, cut: `/description, /title`.
/// Texts that cannot be read differ as a whole.
/// Input: `volatile_members`, JSON pointers; what differs there is not told.
std::string difference_text(std::string_view older, std::string_view newer,
                            std::span<const std::string> volatile_members = {});

/// The worst of these; `low` of none.
FindingSeverity worst(const std::vector<DefinitionChange>& changes);

}  // namespace bartizan
