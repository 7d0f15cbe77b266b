#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/check/argument_rewrites.h"
#include "schemas/message/tool_definition.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// Whether clients see a tool's `outputSchema`. An unusable one promises nothing, and official
/// clients refuse the whole list because of it.
bool shows_output_schema(const ToolDefinition& tool, SchemaOptions::Untranslatable patterns);

enum class ListedOutputSchema : std::uint8_t { shown, left_out };

/// An entry of a `tools/list` result as clients see it. It has the name for clients, no optional
/// members that are null, and no properties that profiles force. A property is found under
/// `properties` of `inputSchema`; what a `$ref` or `allOf` adds stays.
///
/// Input:  an entry that was parsed before. Nothing if it cannot be parsed again.
std::optional<std::string> listed_tool(std::string_view entry, std::string_view name,
                                       const ArgumentRewrites& rewrites,
                                       ListedOutputSchema output_schema);

}  // namespace bartizan
