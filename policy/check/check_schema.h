#pragma once

#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Do the arguments fit the tool's input schema, and every schema that policy adds?
///
/// Arguments under both names of one that is renamed do not. Arguments that are absent are `{}`.
/// Members that lead JavaScript to what all objects share are refused where the schema does not
/// name them.
///
/// Stands behind `existence`, so a usable schema is there; enforced also while policy observes.
/// Threads: any. Cost: see `JsonSchema`; the reasons are looked for only after a refusal.
/// Source:  MCP 2025-11-25, server/tools, "Security Considerations"; 2026-07-28, basic/index,
///          "JSON Schema Usage".
class CheckSchema {
 public:
  explicit CheckSchema(const ToolProfiles& profiles);

  Decision operator()(const Call& call) const;

 private:
  const ToolProfiles* profiles_;
  Bytes empty_text_;
  JsonDocument empty_document_;
  JsonValue empty_;
};

/// Does the structured content of a tool's result fit the tool's output schema? Passes where the
/// tool has none, and for results that are errors without structured content. What fits only as it
/// is written, or only as programs read it whose numbers are doubles, does not fit. Where the
/// schema cannot be used, structured content is `result_unjudged`.
///
/// Input:  the result of a `tools/call` under that protocol version.
/// Source: MCP 2025-06-18, server/tools, "Output Schema"; 2026-07-28 allows any JSON value.
Decision check_structured_content(const ToolDefinition& tool, const MergedProfile& profile,
                                  ProtocolVersion version, JsonValue result);

}  // namespace bartizan
