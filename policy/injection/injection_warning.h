#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/injection/injection_scanner.h"
#include "schemas/json/json.h"

namespace bartizan {

/// The warning before a text in which a family was found; ASCII, with a final newline.
std::string injection_warning(InjectionFamily family);

/// A message with a warning before each text with a finding. Nothing if none of these is a text for
/// a model. Texts for a model are the `text` of a block of content, of a prompt's message and of a
/// resource. So is that of a message for a model in a request, or in a request within a result. All
/// other bytes stay unchanged.
///
/// Source: MCP 2025-11-25, schema, "TextContent", "PromptMessage", "EmbeddedResource",
///         "TextResourceContents", "SamplingMessage"; MCP 2026-07-28, "Multi round-trip requests".
std::optional<std::string> with_warnings(JsonValue message, JsonValue said,
                                         const Injections& injections);

}  // namespace bartizan
