#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "gateway/message/exchange.h"
#include "policy/verdict/decision.h"
#include "schemas/message/method.h"
#include "schemas/message/protocol_version.h"
#include "schemas/schema/schema_violation.h"

namespace bartizan {

/// The data for the answer to a refused call.
struct DenialAnswer {
  Reason reason = Reason::internal;
  const RuleInfo* rule = nullptr;
  bool is_hidden = false;                   ///< The answer is as if the target did not exist.
  Reason hidden_as = Reason::tool_unknown;  ///< The reason of a hidden refusal.
  std::string_view pointer = {};
  std::string_view permission = {};  ///< The permission that the caller lacks.
  /// The finding of an outside check about the argument, for callers of trust `verified`.
  OutsideRefusal outside = OutsideRefusal::none;
  std::string_view decision_id = {};  ///< Empty if the refusal is only counted.
  std::string_view id_json = {};
  Era era = Era::legacy;
  Trust trust = Trust::untrusted;  ///< The caller's trust; it limits the details of the answer.
  bool is_tool_call = false;
  TargetKind kind = TargetKind::tool;  ///< The kind of the target, for refusals that hide it.
  std::string_view resource = {};      ///< The URI, for the reason `resource_unknown`.
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  std::string_view approval_id = {};   ///< The request that the call waits for; empty for none.
  std::string_view approval_url = {};  ///< The request's page, for callers of trust `community`.
  std::string_view detail = {};  ///< The failure, for callers of trust `system`; timeouts for all.
  /// The parts of the arguments that do not fit a schema; null for none.
  const std::vector<SchemaViolation>* violations = nullptr;
  ProtocolVersion version = kNewestLegacyVersion;
};

/// The JSON-RPC code of a refusal, by its reason and era.
/// Source: DESIGN.md, "Denials on the wire".
int denial_code(Reason reason, Era era);

/// The answer to a refused call: a JSON-RPC error, or a tool result with `isError`. It is a result
/// if the rule demands it. It is also a result for arguments that do not fit the tool's own schema,
/// in revisions that let the model correct them (MCP 2025-11-25, server/tools, "Error Handling").
/// The caller's trust limits its details. It never has an argument's value. Every caller gets the
/// id of the decision, which finds its records, and whether and when to try again.
Answer answer_denial(const DenialAnswer& denial);

/// The sentence of a refusal, and its `data`, a JSON object. Input: a refusal that is not hidden.
std::string denial_sentence(const DenialAnswer& denial);
std::string denial_data(const DenialAnswer& denial);

/// The note about withheld structured content in a result: a member of `_meta`, as JSON. The same
/// rules limit it.
std::string withheld_note(const DenialAnswer& denial);
/// The `content` of a result that has nothing else, as JSON: one block of text with the reason. The
/// caller's trust limits its details.
std::string withheld_content(const DenialAnswer& denial);

/// The id of an error that answers a message without a readable id: `null` in the legacy revisions,
/// empty in the modern one, whose errors then have no `id`.
/// Source: JSON-RPC 2.0 §5; MCP 2026-07-28, schema, `JSONRPCErrorResponse`.
std::string_view absent_id(Era era);

/// The protocol's own error for an invalid message, or for one that names something unknown to the
/// protocol. `id_json` may be `absent_id`.
Answer answer_protocol_error(ErrorCode code, std::string_view message, std::string_view id_json,
                             std::string_view data_json = {});

/// The recorded reason of such an error.
Reason protocol_reason(ErrorCode code);

/// The reason for an error of a server or of the connection to it, in answers and records.
Reason reason_of(const Error& error);

}  // namespace bartizan
