#include "audit/record_class.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "schemas/base/contains.h"

namespace bartizan {
namespace {

/// Refusals of category `protocol` that may be attempts to be read in two ways, or to take over a
/// foreign session or identity. The others are clumsy clients.
constexpr std::array<std::string_view, 5> kAttacksOnProtocol{
    "ambiguous_member", "header_mismatch", "http_malformed", "proxy_header_invalid",
    "session_unknown"};
/// Reasons that concern the machine, the network and the servers.
constexpr std::array<std::string_view, 10> kPerformance{
    "circuit_open",  "overloaded",    "server_failed",   "server_timeout",     "server_unavailable",
    "session_limit", "shutting_down", "gateway_stopped", "issuer_unavailable", "internal"};
constexpr std::array<std::string_view, 13> kHigh{
    "blocked",           "command_blocked",   "content_withheld", "credentials_invalid",
    "flow_refused",      "grant_replayed",    "revoked",          "secret_requested",
    "path_outside_root", "skill_quarantined", "url_private",      "argument_withheld",
    "csrf_token_invalid"};
constexpr std::array<std::string_view, 2> kCritical{"tool_quarantined", "not_recordable"};

/// Not sorted: each refusal makes one look-up.
constexpr std::array kTechniques = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"content_withheld", "AML.T0057"},     // LLM Data Leakage
    {"argument_withheld", "AML.T0086"},    // Exfiltration via AI Agent Tool Invocation
    {"flow_refused", "AML.T0086"},         // Exfiltration via AI Agent Tool Invocation
    {"url_private", "AML.T0086"},          // Exfiltration via AI Agent Tool Invocation
    {"url_not_allowed", "AML.T0086"},      // Exfiltration via AI Agent Tool Invocation
    {"tool_quarantined", "AML.T0110"},     // AI Agent Tool Poisoning
    {"skill_quarantined", "AML.T0110"},    // AI Agent Tool Poisoning
    {"secret_requested", "AML.T0098"},     // AI Agent Tool Credential Harvesting
    {"command_blocked", "AML.T0101"},      // Data Destruction via AI Agent Tool Invocation
    {"command_not_allowed", "AML.T0050"},  // Command and Scripting Interpreter
    {"command_malformed", "AML.T0050"},    // Command and Scripting Interpreter
    {"path_outside_root", "AML.T0037"},    // Data from Local System
    {"path_malformed", "AML.T0037"},       // Data from Local System
    {"path_not_allowed", "AML.T0037"},     // Data from Local System
    {"sql_not_allowed", "AML.T0053"},      // AI Agent Tool Invocation
    {"sql_malformed", "AML.T0053"},        // AI Agent Tool Invocation
    {"no_matching_rule", "AML.T0053"},     // AI Agent Tool Invocation
    {"forbidden", "AML.T0053"},            // AI Agent Tool Invocation
    {"permission_missing", "AML.T0053"},   // AI Agent Tool Invocation
    {"unauthenticated", "AML.T0012"},      // Valid Accounts, tried
    {"credentials_invalid", "AML.T0012"},  // Valid Accounts, tried
    {"credentials_expired", "AML.T0012"},  // Valid Accounts, tried
    {"grant_replayed", "AML.T0012"},       // Valid Accounts
    {"limited", "AML.T0029"},              // Denial of AI Service
    {"call_loop", "AML.T0034"},            // Cost Harvesting
    {"overloaded", "AML.T0029"},           // Denial of AI Service
});

bool is_of_record_itself(RecordKind kind) {
  return kind == RecordKind::gap || kind == RecordKind::repair || kind == RecordKind::mismatch;
}

Risk severity_of_kind(const Record& record) {
  using enum RecordKind;
  if (record.kind == mismatch || record.kind == gap) return Risk::critical;
  if (record.kind == repair || record.kind == revocation) return Risk::high;
  const bool is_lasting = record.kind == release || record.kind == lift || record.kind == grant ||
                          record.kind == signing_key || record.kind == registration ||
                          record.kind == file_removed || record.kind == reload;
  return is_lasting ? Risk::medium : Risk::low;
}

Risk severity_of_reason(const Record& record) {
  if (contains(kCritical, record.reason)) return Risk::critical;
  if (contains(kHigh, record.reason)) return Risk::high;
  return class_of(record) == RecordClass::security_event ? Risk::medium : Risk::low;
}

std::optional<Risk> read_risk(std::string_view text) {
  const auto* found =
      std::ranges::find(kRiskNames, text, [](const auto& one) { return one.first; });
  if (found == kRiskNames.end()) return std::nullopt;
  return found->second;
}

}  // namespace

RecordClass class_of(const Record& record) {
  using enum RecordKind;
  switch (record.kind) {
    case start:
    case stop:
    case reload:
    case server:
    case file_end:
    case file_begin:
    case file_removed:
      return RecordClass::life_cycle;
    case decision:
    case outcome:
    case refusal:
    case summary:
    case resume:
      break;
    default:
      return RecordClass::security_event;
  }
  const bool is_refused = record.decision == "deny" || !record.reason.empty();
  // Operators also look for calls that succeeded with a masked secret.
  if (!record.would.empty() || !record.redacted.empty()) return RecordClass::security_event;
  if (contains(kPerformance, record.reason)) return RecordClass::performance_event;
  if (record.category == "protocol" && !contains(kAttacksOnProtocol, record.reason))
    return RecordClass::protocol_error;
  const bool is_permit = record.reason == "permitted" || record.decision == "permit";
  if (is_refused && !is_permit) return RecordClass::security_event;
  if (record.kind == summary) return RecordClass::security_event;
  return record.warnings.empty() ? RecordClass::tool_invocation : RecordClass::performance_event;
}

std::string_view text(RecordClass of) {
  switch (of) {
    case RecordClass::tool_invocation:
      return "tool_invocation";
    case RecordClass::performance_event:
      return "performance_event";
    case RecordClass::protocol_error:
      return "protocol_error";
    case RecordClass::security_event:
      return "security_event";
    case RecordClass::life_cycle:
      return "life_cycle";
  }
  return "security_event";
}

/// The risk of a tool says nothing about a permitted call.
Risk severity_of(const Record& record) {
  if (is_of_record_itself(record.kind)) return severity_of_kind(record);
  const Risk of_kind = std::max(severity_of_kind(record), severity_of_reason(record));
  if (class_of(record) != RecordClass::security_event) return of_kind;
  return std::max(of_kind, read_risk(record.risk).value_or(Risk::low));
}

std::string_view atlas_technique(std::string_view reason) {
  const auto* found =
      std::ranges::find(kTechniques, reason, [](const auto& one) { return one.first; });
  return found == kTechniques.end() ? std::string_view() : found->second;
}

}  // namespace bartizan
