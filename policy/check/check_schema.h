#pragma once

#include "policy/check/tool_profiles.h"
#include "policy/verdict/call.h"
#include "policy/verdict/decision.h"
#include "schemas/base/bytes.h"
#include "schemas/json/json.h"

namespace bartizan {

/// Do the arguments fit the tool's input schema, and every schema that policy adds?
///
/// Arguments with both names of a renamed argument do not fit. Absent arguments count as `{}`.
/// Members such as `__proto__`, which JavaScript resolves to shared objects, are refused unless the
/// schema names them.
///
/// It runs after `existence`, so there is a usable schema. It is enforced in observe mode too.
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

/// Does the structured content of a tool's result fit the tool's output schema? It passes if the
/// tool has no output schema, or if the result is an error without structured content. It must fit
/// both as it is written and with its numbers read as doubles. If the schema cannot be used,
/// structured content is `result_unjudged`.
///
/// Input:  the result of a `tools/call` under that protocol version.
/// Source: MCP 2025-06-18, server/tools, "Output Schema"; 2026-07-28 allows any JSON value.
Decision check_structured_content(const ToolDefinition& tool, const MergedProfile& profile,
                                  ProtocolVersion version, JsonValue result);

}  // namespace bartizan
