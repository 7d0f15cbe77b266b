#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/check/argument_rewrites.h"
#include "schemas/message/tool_definition.h"
#include "schemas/schema/json_schema.h"

namespace bartizan {

/// Whether clients see a tool's `outputSchema`: one that nobody can hold a result against promises
/// nothing, and official clients refuse the whole list for it.
bool shows_output_schema(const ToolDefinition& tool, SchemaOptions::Untranslatable patterns);

enum class ListedOutputSchema : std::uint8_t { shown, left_out };

/// An entry of a `tools/list` result as clients see it: under the name that it has for them,
/// without members that are null where a value is optional, and without the properties that
/// profiles force, which are no clients' to give. A property is found where `inputSchema` has it
/// under `properties`; what a `$ref` or `allOf` adds stays.
///
/// Input:  an entry that was read before. Nothing where it cannot be read again.
std::optional<std::string> listed_tool(std::string_view entry, std::string_view name,
                                       const ArgumentRewrites& rewrites,
                                       ListedOutputSchema output_schema);

}  // namespace bartizan
