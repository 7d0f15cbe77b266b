#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/definition/finding_severity.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What rule found something in a definition of a tool. Their names never change, so that other
/// programs can go by them.
enum class ScanRule : std::uint8_t {
  instruction,       ///< A text tells the model what to do, beyond what the tool is.
  marked_block,      ///< A block that is set off for the model: `<IMPORTANT>`, `SYSTEM:`.
  hidden_text,       ///< Characters that nobody sees.
  secret_place,      ///< A place where credentials lie: `~/.ssh`, `.env`, a cloud's metadata.
  context_asked,     ///< An argument that asks for the conversation, or for the model's orders.
  credential_asked,  ///< An argument that asks for a key, a password, a token.
  remote_schema,     ///< A schema that lies elsewhere, and may be another one there tomorrow.
  other_tool,        ///< A text speaks of a tool of another server.
  confusable_name,   ///< A name that looks like that of another server's tool.
  similar_name,      ///< One that is a letter away from it, or the same.
  changed,           ///< The definition is not the one that was approved.
  secret_held,       ///< A text holds what a detector takes for a secret; see `find_held_secrets`.
};
inline constexpr std::size_t kScanRuleCount = 12;

/// As results have it: `hidden-text`.
std::string_view text(ScanRule rule);
/// What it looks for, as one sentence.
std::string_view explanation(ScanRule rule);

/// One thing that was found in one definition.
struct ScanFinding {
  ScanRule rule = ScanRule::instruction;
  FindingSeverity severity = FindingSeverity::low;
  std::string pointer = {};  ///< Into the entry of `tools/list`.
  std::string what = {};     ///< In our own words; may quote what we looked for, never the text.
  bool operator==(const ScanFinding&) const = default;
};

/// What is found in one entry of `tools/list` alone: in its names, and in every text below it. In
/// the order of the entry; at most `scan_findings_max`.
///
/// Cost: one pass over the entry.
/// Source: the write-ups of tool poisoning named in docs/pinning.md.
std::vector<ScanFinding> scan_definition(JsonValue entry);
inline constexpr std::size_t scan_findings_max = 64;

/// What of it is read: what its fingerprint covers; what of that version 1 of the lock file does
/// not pin; what no fingerprint covers, because it is among the volatile members.
enum class DefinitionPart : std::uint8_t { fingerprinted, beyond_v1, beside };
/// Input: `volatile_members`, JSON pointers into the entry.
std::vector<ScanFinding> scan_definition(JsonValue entry, DefinitionPart part,
                                         std::span<const std::string> volatile_members);

/// The first of high severity, or null.
const ScanFinding* first_danger(const std::vector<ScanFinding>& findings);
/// A finding's rule and what it says, without the pointer, which has names of the server's in it.
std::string sentence(const ScanFinding& finding);

/// Whether a text alone has a finding of high severity.
bool has_high_finding(std::string_view text);
/// Whether an argument of that name asks for context or for credentials.
bool asks_for_secrets(std::string_view name);

}  // namespace bartizan
