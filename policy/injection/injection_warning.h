#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/injection/injection_scanner.h"
#include "schemas/json/json.h"

namespace bartizan {

/// What stands before a text in which a family was found; ASCII, and ends with a newline.
std::string injection_warning(InjectionFamily family);

/// A message with a warning before each text that gives orders; nothing where none of these is a
/// text that models read: the `text` of a block of content, of a prompt's message or of a resource,
/// and of a message for a model that a request asks for, or one within a result. Every other byte
/// is as it was.
///
/// Source: MCP 2025-11-25, schema, "TextContent", "PromptMessage", "EmbeddedResource",
///         "TextResourceContents", "SamplingMessage"; MCP 2026-07-28, "Multi round-trip requests".
std::optional<std::string> with_warnings(JsonValue message, JsonValue said,
                                         const Injections& injections);

}  // namespace bartizan
