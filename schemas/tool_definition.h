#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/json.h"
#include "schemas/protocol_version.h"
#include "schemas/result.h"
#include "schemas/tool_schemas.h"

namespace bartizan {

/// One argument that a modern client mirrors into a request header.
struct MirroredArgument {
  std::string header;   ///< The part behind `Mcp-Param-`, as the definition spells it.
  std::string pointer;  ///< RFC 6901, into `arguments`.
};

/// What the gateway keeps of one entry of a `tools/list` result. The entry itself is forwarded as
/// the bytes that the server sent, its name aside.
struct ToolDefinition {
  std::string name;
  std::string raw;       ///< The entry's exact bytes.
  ByteRange name_range;  ///< Of the quoted name within `raw`.
  std::vector<MirroredArgument> mirrored;
  /// SHA-256, lower-case hex, over the canonical form (members sorted, white space removed) of what
  /// the tool is: name, title, description, schemas, annotations. Icons and the like may change.
  std::string fingerprint;
  /// Its schemas, compiled. Without them the tool cannot be judged, and is not used.
  std::shared_ptr<const ToolSchemas> schemas;
};

/// Reads one entry of a `tools/list` result, without compiling its schemas.
///
/// Errors:  invalid_params, fault server, when the entry has no usable name (1 to 128 bytes of
///          `A-Z a-z 0-9 _ - .`), no `inputSchema` object with `type: "object"`, an `outputSchema`
///          of another type in the legacy era, a member of another type than the protocol's, or an
///          invalid `x-mcp-header` annotation. The tool is then quarantined: clients drop it, or
///          refuse the whole list with all that other servers have in it. Detail names the cause
///          and no text of the server's.
/// Source:  MCP 2026-07-28, server/tools, and basic/transports/streamable-http, "Custom Headers".
Result<ToolDefinition> read_tool_definition(JsonValue entry, Era era = Era::modern);

/// Whether a tool name can be used in policy and in headers: 1 to 128 bytes of
/// `A-Z a-z 0-9 _ - .`. Source: MCP 2025-11-25 (SEP-986).
bool is_tool_name(std::string_view name);

}  // namespace bartizan
