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

/// Everything that the answer to a refused call is made of.
struct DenialAnswer {
  Reason reason = Reason::internal;
  const RuleInfo* rule = nullptr;
  bool is_hidden = false;                   ///< To be answered as if there were no such thing …
  Reason hidden_as = Reason::tool_unknown;  ///< … by this reason.
  std::string_view pointer = {};
  std::string_view permission = {};  ///< That the caller lacks.
  /// What the world outside says against the argument, for callers of trust `verified`.
  OutsideRefusal outside = OutsideRefusal::none;
  std::string_view decision_id = {};  ///< Empty where the refusal is only counted.
  std::string_view id_json = {};
  Era era = Era::legacy;
  Trust trust = Trust::untrusted;  ///< Of the caller: decides how much it is told.
  bool is_tool_call = false;
  TargetKind kind = TargetKind::tool;  ///< Of what was called, for refusals that hide it.
  std::string_view resource = {};      ///< URI, where the reason is `resource_unknown`.
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  std::string_view approval_id = {};   ///< Of the request that the call waits for; empty for none.
  std::string_view approval_url = {};  ///< Of its page, for callers of trust `community`.
  std::string_view detail = {};        ///< What failed, for callers of trust `system`.
  /// Where the arguments do not fit a schema; null for none.
  const std::vector<SchemaViolation>* violations = nullptr;
  ProtocolVersion version = kNewestLegacyVersion;
};

/// The JSON-RPC code of a refusal: the one table of reasons and eras.
/// Source: DESIGN.md, "Denials on the wire".
int denial_code(Reason reason, Era era);

/// The answer to a refused call: a JSON-RPC error, or a tool result with `isError` where the rule
/// says so, and for arguments that do not fit the tool's own schema where the revision wants the
/// model to mend them (MCP 2025-11-25, server/tools, "Error Handling"). It says no more than the
/// caller's trust allows, and never an argument's value; the decision's id, which finds its
/// records, and whether and when to try again are said to everyone.
Answer answer_denial(const DenialAnswer& denial);

/// The sentence that a refusal says, and its `data`, a JSON object. Input: none that is hidden.
std::string denial_sentence(const DenialAnswer& denial);
std::string denial_data(const DenialAnswer& denial);

/// What a result says of structured content that was withheld from it: a member of its `_meta`, as
/// JSON, told by the same rules.
std::string withheld_note(const DenialAnswer& denial);
/// The `content` of a result that has nothing else, as JSON: one block of text that says what
/// happened, and no more than the caller's trust allows.
std::string withheld_content(const DenialAnswer& denial);

/// What an error that answers a message without a readable id has in the place of the id: `null` in
/// the legacy revisions, nothing in the modern one, whose errors then have no `id` at all.
/// Source: JSON-RPC 2.0 §5; MCP 2026-07-28, schema, `JSONRPCErrorResponse`.
std::string_view absent_id(Era era);

/// The answer to what is no message, or names nothing that the protocol knows: an error of the
/// protocol's own. `id_json` may be `absent_id`.
Answer answer_protocol_error(ErrorCode code, std::string_view message, std::string_view id_json,
                             std::string_view data_json = {});

/// The reason under which such an error is recorded.
Reason protocol_reason(ErrorCode code);

/// The reason under which an error of a server's, or of the way to it, is answered and recorded.
Reason reason_of(const Error& error);

}  // namespace bartizan
