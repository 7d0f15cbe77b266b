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

/// The rule of a finding in a definition of a tool. The names never change, so that other programs
/// can rely on them.
enum class ScanRule : std::uint8_t {
  instruction,    ///< A text instructs the model beyond describing the tool.
  marked_block,   ///< A block marked for the model: `<IMPORTANT>`, `SYSTEM:`.
  hidden_text,    ///< Invisible characters.
  secret_place,   ///< A place of credentials: `~/.ssh`, `.env`, a cloud's metadata.
  context_asked,  ///< An argument that asks for the conversation, or for the model's instructions.
  credential_asked,  ///< An argument that asks for a key, a password, a token.
  remote_schema,     ///< A remote schema, which can change at any time.
  other_tool,        ///< A text names a tool of another server.
  confusable_name,   ///< A name that looks like that of another server's tool.
  similar_name,      ///< A name that equals another server's, or differs by a letter.
  changed,           ///< The definition is not the approved one.
  secret_held,       ///< A text that a detector recognises as a secret; see `find_held_secrets`.
};
inline constexpr std::size_t kScanRuleCount = 12;

/// The name in results: `hidden-text`.
std::string_view text(ScanRule rule);
/// The purpose of a rule, as one sentence.
std::string_view explanation(ScanRule rule);

/// One finding in one definition.
struct ScanFinding {
  ScanRule rule = ScanRule::instruction;
  FindingSeverity severity = FindingSeverity::low;
  std::string pointer = {};  ///< Into the entry of `tools/list`.
  std::string what =
      {};  ///< In the gateway's words; may quote the searched phrase, never the text.
  bool operator==(const ScanFinding&) const = default;
};

/// The findings in one entry of `tools/list` alone: in its names, and in every text below it. In
/// the order of the entry; at most `scan_findings_max`.
///
/// Cost: one pass over the entry.
/// Source: the write-ups of tool poisoning named in docs/pinning.md.
std::vector<ScanFinding> scan_definition(JsonValue entry);
inline constexpr std::size_t scan_findings_max = 64;

/// The part of an entry that is scanned: members that its fingerprint covers; of these, members
/// that version 1 of the lock file does not pin; volatile members, which no fingerprint covers.
enum class DefinitionPart : std::uint8_t { fingerprinted, beyond_v1, beside };
/// Input: `volatile_members`, JSON pointers into the entry.
std::vector<ScanFinding> scan_definition(JsonValue entry, DefinitionPart part,
                                         std::span<const std::string> volatile_members);

/// The first finding of high severity, or null.
const ScanFinding* first_danger(const std::vector<ScanFinding>& findings);
/// The rule and the words of a finding, without the pointer, which has names of the server.
std::string sentence(const ScanFinding& finding);

/// Whether a text alone has a finding of high severity.
bool has_high_finding(std::string_view text);
/// Whether an argument of that name asks for context or for credentials.
bool asks_for_secrets(std::string_view name);

}  // namespace bartizan
